import type { AroundCall } from '../database/traced-client.ts';
import type { Model } from '../model/model.ts';
import { openOtlpTracer, type TracerOptions } from './otlp-tracer.ts';
import { createRequestSpans, failSpan } from './request-spans.ts';
import { tracedModel } from './traced-model.ts';
import { traceRedis } from './traced-redis.ts';

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
