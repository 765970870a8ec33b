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
import type { TraceCall } from '../database/native-client.ts';
import { loggableError, nameOrNull, type ProcessLabels } from '../http/logger.ts';
import type { RequestContext, RequestLogEntry } from '../http/request-context.ts';
import type { Model, ModelReply, ModelResult, TextSink } from '../model/anthropic-model.ts';

export type Traces = ReturnType<typeof openTraces>;

/**
 * Traces requests, with spans for calls of database functions, Redis commands and the provider's replies. Instrumented
 * by hand: automatic instrumentation of ES modules needs an experimental loader hook, and records more than it should.
 */
export function openTraces(options: TracerOptions) {
  const { tracer, close } = openOtlpTracer(options);
  const spans = createRequestSpans(tracer);
  const stopTracingRedis = traceRedis(spans);

  const traceCall: TraceCall = async (name, call) => {
    const span = spans.start(name, { 'db.system.name': 'postgresql', 'db.operation.name': name });
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
    traceRequest: spans.request,
    observe: spans.observe,
    traceCall,
    traceModel: (model: Model) => tracedModel(model, spans),
    async close(): Promise<void> {
      stopTracingRedis();
      // Failed exports have been logged.
      await close().catch(() => undefined);
    },
  };
}

/** Wraps a model with a span for each reply. The provider receives no trace context. */
function tracedModel(model: Model, spans: RequestSpans): Model {
  return {
    close: model.close,

    start(request, signal) {
      const span = spans.start('chat', { 'gen_ai.operation.name': 'chat' });
      const reply = model.start(request, signal);
      return span === undefined ? reply : { stream: (onText) => streamTraced(reply, onText, span) };
    },
  };
}

async function streamTraced(reply: ModelReply, onText: TextSink, span: Span): Promise<ModelResult> {
  let hasText = false;
  try {
    const result = await reply.stream((delta) => {
      if (!hasText) {
        hasText = true;
        span.addEvent('first text');
      }
      return onText(delta);
    });
    const { usage, ending, error } = result;
    const [name, providerRequestId] = [nameOrNull(result.model), nameOrNull(result.providerRequestId)];
    span.setAttributes({
      ...(name !== null && { 'gen_ai.response.model': name }),
      ...(providerRequestId !== null && { 'advisory_chat.provider_request_id': providerRequestId }),
      'gen_ai.usage.input_tokens': usage.inputTokens,
      'gen_ai.usage.output_tokens': usage.outputTokens,
      'advisory_chat.ending': ending,
    });
    if (error !== null) failSpan(span, error);
    return result;
  } catch (error) {
    failSpan(span, error);
    throw error;
  } finally {
    span.end();
  }
}

/** A command's arguments are not recorded, because keys contain addresses and user ids. */
type TracedCommand = { command?: unknown; span?: Span | undefined };

const noop = () => undefined;

/** Returns a function that stops the tracing. */
function traceRedis(spans: RequestSpans): () => void {
  const channel = tracingChannel<unknown, TracedCommand>('ioredis:command');
  const subscribers = {
    start(message: TracedCommand) {
      const name = String(message.command).toLowerCase();
      message.span = spans.start(name, { 'db.system.name': 'redis', 'db.operation.name': name });
    },
    end: noop,
    asyncStart: noop,
    asyncEnd: (message: TracedCommand) => message.span?.end(),
    error(message: TracedCommand & { error: unknown }) {
      if (message.span !== undefined) failSpan(message.span, message.error);
    },
  };
  channel.subscribe(subscribers);
  return () => void channel.unsubscribe(subscribers);
}

const signInPaths = providerNames.flatMap((name) => [`${routes.signIn}/${name}`, `${routes.signIn}/${name}/callback`]);
const knownPaths: ReadonlySet<string> = new Set([...Object.values(routes), ...Object.values(pages), ...signInPaths]);

type RequestSpans = ReturnType<typeof createRequestSpans>;

/** Creates a span for each request, and spans within it. The proxy must remove a `traceparent` that a client sends. */
function createRequestSpans(tracer: Tracer) {
  const propagator = new W3CTraceContextPropagator();
  /** The current request, which is not a parameter of calls to the database, Redis and the model. */
  const current = new AsyncLocalStorage<RequestContext>();

  const request: RequestHandler = ({ method, path, headers }, { locals: { context } }, next) => {
    const parent = propagator.extract(ROOT_CONTEXT, headers, defaultTextMapGetter);
    const { requestId, ownId } = context.ids;
    const route = knownRoute(path);
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

  /** Ends the request's span, so later writes have none. */
  function observe({ status, ending, code, err }: RequestLogEntry, { trace: started }: RequestContext): void {
    if (started === undefined) return;
    const { span } = started;
    span.setAttributes({
      'http.response.status_code': status,
      ...(ending !== undefined && { 'advisory_chat.ending': ending }),
      ...(code !== undefined && { 'advisory_chat.code': code }),
    });
    if (status >= 500 || err !== undefined) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end();
  }

  /** Creates a span within the current request; undefined without a request, or after its span has ended. */
  function start(name: string, attributes: Attributes): Span | undefined {
    const request = current.getStore();
    if (!request?.trace?.span.isRecording()) return undefined;
    return tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes }, request.trace.context);
  }

  return { request, observe, start };
}

/** Marks a span as failed with the kind of the error, without its message. */
function failSpan(span: Span, error: unknown): void {
  const { code, type } = loggableError(error);
  span.setAttribute('error.type', code ?? type);
  span.setStatus({ code: SpanStatusCode.ERROR });
}

/** Returns the route of `path`; undefined for an unknown path, which is user input. */
function knownRoute(path: string): string | undefined {
  if (conversationPage.pattern.test(path)) return conversationPage.route;
  return knownPaths.has(path) ? path : undefined;
}

/** Further spans are dropped, so that an unreachable collector does not use up the memory. */
const maxQueuedSpans = 2_048;

type TracerOptions = {
  /** The collector's URL, to which `/v1/traces` is appended. */
  endpoint: string;
  /** The address of the proxy through which the collector is reached. */
  proxy?: string | undefined;
  processLabels: ProcessLabels;
  logger: Logger;
  delayMilliseconds?: number;
};

/** The time limit for delivery, including retries. */
const deliveryTimeoutMilliseconds = 3_000;

/** Creates spans and exports them to a collector over OTLP/HTTP. Only `close` waits for the export. */
function openOtlpTracer(options: TracerOptions): {
  tracer: Tracer;
  close(): Promise<void>;
} {
  const { endpoint, proxy, processLabels, logger, delayMilliseconds = 5_000 } = options;
  const exporter = new OTLPTraceExporter({
    url: `${endpoint}/v1/traces`,
    timeoutMillis: deliveryTimeoutMilliseconds,
    ...(proxy !== undefined && {
      httpAgentOptions: { keepAlive: true, proxyEnv: { HTTPS_PROXY: proxy, HTTP_PROXY: proxy } },
    }),
  });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      'service.name': 'advisory-chat',
      'service.version': processLabels.version,
      'service.instance.id': processLabels.instance,
    }),
    // Ignores the sampling flag of `traceparent`, because a sender could hide its requests with it.
    sampler: new AlwaysOnSampler(),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: logExportFailures(exporter, logger),
        maxQueueSize: maxQueuedSpans,
        scheduledDelayMillis: delayMilliseconds,
      }),
    ],
  });
  return { tracer: provider.getTracer('advisory-chat', processLabels.version), close: () => provider.shutdown() };
}

/** Logs the first failure with its cause, and the first success after it. */
function logExportFailures(exporter: SpanExporter, logger: Logger): SpanExporter {
  let hasFailed = false;
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        const failed = result.code !== ExportResultCode.SUCCESS;
        if (failed && !hasFailed) {
          logger.warn(
            { err: result.error },
            `traces not delivered (${exportFailure(result.error)}); spans are dropped`,
          );
        }
        if (!failed && hasFailed) logger.info('trace delivery restored');
        hasFailed = failed;
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => exporter.forceFlush?.(),
  };
}

/** Returns the collector's status or Node's error code. An error with neither is taken for a timeout. */
function exportFailure(error: Error | undefined): string {
  if (error === undefined) return 'unknown cause';
  const code: unknown = 'code' in error ? error.code : undefined;
  if (typeof code === 'number') return `status ${code}`;
  return loggableError(error).code ?? 'no answer in time';
}
