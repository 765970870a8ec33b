import { AsyncLocalStorage } from 'node:async_hooks';
import { tracingChannel } from 'node:diagnostics_channel';
import {
  type Attributes,
  defaultTextMapGetter,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { ExportResultCode, W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { AlwaysOnSampler, BatchSpanProcessor, type SpanExporter, TracerProvider } from '@opentelemetry/sdk-trace';
import type { RequestHandler } from 'express';
import type { Logger } from 'pino';
import { conversationPage, pages, routes } from '../../shared/interface.ts';
import { providerNames } from '../../shared/session.ts';
import type { AroundCall } from '../database/client.ts';
import { type Identity, loggableError, nameOrNull } from '../http/logger.ts';
import type { RequestContext, RequestLine } from '../http/request-context.ts';
import type { Model, TextSink } from '../model/anthropic-model.ts';

type Options = TracerOptions & {
  /** Whether `traceparent` comes from a proxy of the operator's. */
  believed: boolean;
};

export type Traces = ReturnType<typeof openTraces>;

/**
 * Traces of requests, with spans at their edges: the database's functions, Redis' commands, the provider's replies. By our
 * own hand, because what patches modules from outside does not reach ES modules and would say more than it should.
 */
export function openTraces({ believed, ...options }: Options) {
  const { tracer, close } = openOtlpTracer(options);
  const spans = createRequestSpans(tracer, { believed });
  const leaveRedis = traceRedis(spans);

  const aroundCall: AroundCall = async (name, call) => {
    const span = spans.begin(name, { 'db.system.name': 'postgresql', 'db.operation.name': name });
    try {
      return await call();
    } catch (error) {
      if (span !== undefined) failSpan(span, error);
      throw error;
    } finally {
      span?.end();
    }
  };

  return {
    /** The middleware that begins the span of a request. */
    request: spans.request,
    /** Ends the span of a request that is over. */
    observe: spans.observe,
    aroundCall,
    model: (model: Model) => tracedModel(model, spans),
    /** Sends what is left. */
    async close(): Promise<void> {
      leaveRedis();
      // What could not be delivered has been logged.
      await close().catch(() => undefined);
    },
  };
}

/** The same model, with a span around each reply. The provider is told nothing of it. */
function tracedModel(model: Model, spans: RequestSpans): Model {
  return {
    close: model.close,

    async reply(request, onText, signal) {
      const span = spans.begin('chat', { 'gen_ai.operation.name': 'chat' });
      if (span === undefined) return model.reply(request, onText, signal);
      let hasText = false;
      const take: TextSink = (delta) => {
        if (!hasText) {
          hasText = true;
          span.addEvent('first text');
        }
        return onText(delta);
      };
      try {
        const outcome = await model.reply(request, take, signal);
        const { usage, ending, error } = outcome;
        const [name, providerRequestId] = [nameOrNull(outcome.model), nameOrNull(outcome.providerRequestId)];
        span.setAttributes({
          ...(name !== null && { 'gen_ai.response.model': name }),
          ...(providerRequestId !== null && { 'advisory_chat.provider_request_id': providerRequestId }),
          'gen_ai.usage.input_tokens': usage.inputTokens,
          'gen_ai.usage.output_tokens': usage.outputTokens,
          'advisory_chat.ending': ending,
        });
        if (error !== null) failSpan(span, error);
        return outcome;
      } catch (error) {
        failSpan(span, error);
        throw error;
      } finally {
        span.end();
      }
    },
  };
}

/** What ioredis says of a command. Its arguments are left alone: they are keys, with addresses and ids of people. */
type Message = { command?: unknown; span?: Span | undefined };

const nothing = () => undefined;

/** A span for each command to Redis that a request sends, as ioredis announces them; gives what ends that. */
function traceRedis(spans: RequestSpans): () => void {
  const channel = tracingChannel<unknown, Message>('ioredis:command');
  const subscribers = {
    start(message: Message) {
      const name = String(message.command).toLowerCase();
      message.span = spans.begin(name, { 'db.system.name': 'redis', 'db.operation.name': name });
    },
    end: nothing,
    asyncStart: nothing,
    asyncEnd: (message: Message) => message.span?.end(),
    error(message: Message & { error: unknown }) {
      if (message.span !== undefined) failSpan(message.span, message.error);
    },
  };
  channel.subscribe(subscribers);
  return () => void channel.unsubscribe(subscribers);
}

const signInPaths = providerNames.flatMap((name) => [`${routes.signIn}/${name}`, `${routes.signIn}/${name}/callback`]);
const knownPaths: ReadonlySet<string> = new Set([...Object.values(routes), ...Object.values(pages), ...signInPaths]);

type RequestSpans = ReturnType<typeof createRequestSpans>;

/** A span for each request, and spans within it. `believed`: `traceparent` comes from a proxy of the operator's. */
function createRequestSpans(tracer: Tracer, { believed }: { believed: boolean }) {
  const propagator = new W3CTraceContextPropagator();
  /** The request whose work is running: what it asks of other parts is not told which request asks. */
  const current = new AsyncLocalStorage<RequestContext>();

  /** The middleware that begins the span of a request. */
  const request: RequestHandler = ({ method, path, headers }, { locals: { context } }, next) => {
    const parent = believed ? propagator.extract(ROOT_CONTEXT, headers, defaultTextMapGetter) : ROOT_CONTEXT;
    const { requestId, ownId } = context.ids;
    const route = routeOf(path);
    const attributes = {
      'http.request.method': method,
      ...(route !== undefined && { 'http.route': route }),
      'advisory_chat.request_id': requestId,
      'advisory_chat.own_id': ownId,
    };
    const name = route === undefined ? method : `${method} ${route}`;
    const span = tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, parent);
    context.trace = { span, context: trace.setSpan(parent, span) };
    current.run(context, next);
  };

  /** Ends the span of a request that is over. What is stored late by then has none: its request is told of already. */
  function observe({ status, ending, code, err }: RequestLine, { trace: begun }: RequestContext): void {
    if (begun === undefined) return;
    const { span } = begun;
    span.setAttributes({
      'http.response.status_code': status,
      ...(ending !== undefined && { 'advisory_chat.ending': ending }),
      ...(code !== undefined && { 'advisory_chat.code': code }),
    });
    if (status >= 500 || err !== undefined) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end();
  }

  /** A span within the request whose work is running; undefined without one, and after the request's span has ended. */
  function begin(name: string, attributes: Attributes): Span | undefined {
    const request = current.getStore();
    if (!request?.trace?.span.isRecording()) return undefined;
    return tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes }, request.trace.context);
  }

  return { request, observe, begin };
}

/** Marks what a span is of as failed, by the kind of the error and without its words. */
function failSpan(span: Span, error: unknown): void {
  const { code, type } = loggableError(error);
  span.setAttribute('error.type', code ?? type);
  span.setStatus({ code: SpanStatusCode.ERROR });
}

/** The route that `path` is of; undefined where it is of none: it is what somebody typed. */
function routeOf(path: string): string | undefined {
  if (conversationPage.pattern.test(path)) return conversationPage.route;
  return knownPaths.has(path) ? path : undefined;
}

/** Spans that wait to be sent; what does not fit is lost, so that a collector that is away costs no memory. */
const maxWaitingSpans = 2_048;

type TracerOptions = {
  /** The collector's address; traces go to `/v1/traces` below it. */
  endpoint: string;
  identity: Identity;
  logger: Logger;
  /** How long spans are gathered before they are sent together. */
  delayMilliseconds?: number;
  /** How long it may take to deliver them, repetitions included. */
  deliveryMilliseconds?: number;
};

/** Makes spans and sends them to a collector, by OTLP over HTTP. Nothing waits for that but `close`. */
function openOtlpTracer(options: TracerOptions): {
  tracer: Tracer;
  /** Sends what is left. */
  close(): Promise<void>;
} {
  const { endpoint, identity, logger, delayMilliseconds = 5_000, deliveryMilliseconds = 3_000 } = options;
  const exporter = new OTLPTraceExporter({ url: `${endpoint}/v1/traces`, timeoutMillis: deliveryMilliseconds });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      'service.name': 'advisory-chat',
      'service.version': identity.version,
      'service.instance.id': identity.instance,
    }),
    // Ignores the wish of a `traceparent`: otherwise its sender could hide their requests.
    sampler: new AlwaysOnSampler(),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: logExportFailures(exporter, logger),
        maxQueueSize: maxWaitingSpans,
        scheduledDelayMillis: delayMilliseconds,
      }),
    ],
  });
  return { tracer: provider.getTracer('advisory-chat', identity.version), close: () => provider.shutdown() };
}

/** Logs the first failure with its cause, and the first success after it. */
function logExportFailures(exporter: SpanExporter, logger: Logger): SpanExporter {
  let away = false;
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        const failed = result.code !== ExportResultCode.SUCCESS;
        if (failed && !away) {
          logger.warn(
            { err: result.error },
            `traces not delivered (${exportFailure(result.error)}); spans are dropped`,
          );
        }
        if (!failed && away) logger.info('traces delivered again');
        away = failed;
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => exporter.forceFlush?.(),
  };
}

/** Node's code, the collector's status, or what the exporter calls its error. */
function exportFailure(error: Error | undefined): string {
  if (error === undefined) return 'unknown cause';
  const code: unknown = 'code' in error ? error.code : undefined;
  if (typeof code === 'number') return `status ${code}`;
  return loggableError(error).code ?? 'no answer in time';
}
