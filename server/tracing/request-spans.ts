import { AsyncLocalStorage } from 'node:async_hooks';
import type { ServerResponse } from 'node:http';
import {
  type Attributes,
  type Context,
  defaultTextMapGetter,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import type { RequestHandler } from 'express';
import { conversationPage, pages, routes } from '../../shared/interface.ts';
import { providerNames } from '../../shared/session.ts';
import { loggableError } from '../http/process/loggable-error.ts';
import { logIds } from '../http/requests/request-id.ts';
import type { RequestLine } from '../http/requests/request-log.ts';

const signInPaths = providerNames.flatMap((name) => [`${routes.signIn}/${name}`, `${routes.signIn}/${name}/callback`]);
const knownPaths: ReadonlySet<string> = new Set([...Object.values(routes), ...Object.values(pages), ...signInPaths]);

type RequestSpan = { span: Span; context: Context; over: boolean };

export type RequestSpans = ReturnType<typeof createRequestSpans>;

/** A span for each request, and spans within it. `believed`: `traceparent` comes from a proxy of the operator's. */
export function createRequestSpans(tracer: Tracer, { believed }: { believed: boolean }) {
  const propagator = new W3CTraceContextPropagator();
  const current = new AsyncLocalStorage<RequestSpan>();
  const requests = new WeakMap<ServerResponse, RequestSpan>();

  /** The middleware that begins the span of a request. */
  const request: RequestHandler = ({ method, path, headers }, response, next) => {
    const parent = believed ? propagator.extract(ROOT_CONTEXT, headers, defaultTextMapGetter) : ROOT_CONTEXT;
    const { requestId, ownId } = logIds(response);
    const route = routeOf(path);
    const attributes = {
      'http.request.method': method,
      ...(route !== undefined && { 'http.route': route }),
      'advisory_chat.request_id': requestId,
      'advisory_chat.own_id': ownId,
    };
    const name = route === undefined ? method : `${method} ${route}`;
    const span = tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, parent);
    const begun: RequestSpan = { span, context: trace.setSpan(parent, span), over: false };
    requests.set(response, begun);
    current.run(begun, next);
  };

  /** Ends the span of a request that is over. What is stored late by then has none: its request is told of already. */
  function observe({ status, ending, code, err }: RequestLine, response: ServerResponse): void {
    const found = requests.get(response);
    if (found === undefined) return;
    found.over = true;
    found.span.setAttributes({
      'http.response.status_code': status,
      ...(ending !== undefined && { 'advisory_chat.ending': ending }),
      ...(code !== undefined && { 'advisory_chat.code': code }),
    });
    if (status >= 500 || err !== undefined) found.span.setStatus({ code: SpanStatusCode.ERROR });
    found.span.end();
  }

  /** A span within the request whose work is running; undefined where there is none. */
  function begin(name: string, attributes: Attributes): Span | undefined {
    const request = current.getStore();
    if (request === undefined || request.over) return undefined;
    return tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes }, request.context);
  }

  return { request, observe, begin };
}

/** Marks what a span is of as failed, by the kind of the error and without its words. */
export function failSpan(span: Span, error: unknown): void {
  const { code, type } = loggableError(error);
  span.setAttribute('error.type', code ?? type);
  span.setStatus({ code: SpanStatusCode.ERROR });
}

/** The route that `path` is of; undefined where it is of none: it is what somebody typed. */
function routeOf(path: string): string | undefined {
  if (conversationPage.addresses.test(path)) return conversationPage.route;
  return knownPaths.has(path) ? path : undefined;
}
