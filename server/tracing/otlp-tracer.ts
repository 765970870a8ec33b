import type { Tracer } from '@opentelemetry/api';
import { ExportResultCode } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { AlwaysOnSampler, BatchSpanProcessor, type SpanExporter, TracerProvider } from '@opentelemetry/sdk-trace';
import type { Logger } from 'pino';
import type { Identity } from '../http/process/logger.ts';

/** Spans that wait to be sent; what does not fit is lost, so that a collector that is away costs no memory. */
const mostWaiting = 2_048;

export type TracerOptions = {
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
export function openOtlpTracer(options: TracerOptions): {
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
        exporter: telling(exporter, logger),
        maxQueueSize: mostWaiting,
        scheduledDelayMillis: delayMilliseconds,
      }),
    ],
  });
  return { tracer: provider.getTracer('advisory-chat', identity.version), close: () => provider.shutdown() };
}

/** Says once that the collector is away, and once that it is back. */
function telling(exporter: SpanExporter, logger: Logger): SpanExporter {
  let away = false;
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        const failed = result.code !== ExportResultCode.SUCCESS;
        if (failed && !away) logger.warn({ err: result.error }, 'traces cannot be delivered');
        if (!failed && away) logger.info('traces are delivered again');
        away = failed;
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => exporter.forceFlush?.(),
  };
}
