import type { Logger } from 'pino';
import { createLateWrites } from '../chat/late-writes.ts';
import { createStreamLimit } from '../chat/stream-limit.ts';
import type { Config } from '../config/config.ts';
import { isPermanentError } from '../database/serving/outage.ts';
import { type BodyBounds, createBodyReader } from '../http/json-body.ts';
import { createLimiters, type RequestLimits } from '../limits/limiter.ts';
import { createRedisFallback } from '../limits/redis-fallback.ts';
import { createTokenBudget } from '../limits/token-budget.ts';
import type { RedisClient } from '../redis/redis-client.ts';

type Dependencies = {
  config: Pick<Config, 'tokensPerDay' | 'maxStreams'> & { limits: RequestLimits };
  /** The Redis that counts requests; undefined if this process counts them. */
  redis: RedisClient | undefined;
  logger: Logger;
  /** A monotonic clock in milliseconds. */
  clock?: () => number;
  streams?: { perUser?: number; demo?: number };
  bodies?: BodyBounds;
  lateWrites?: { timeoutMilliseconds?: number; maxLate?: number };
};

/** Creates the rate limits, the demo budget, stream slots, the memory for bodies, and pending late writes. */
export function createAdmission({ config, redis, logger, clock = () => performance.now(), ...options }: Dependencies) {
  const fallback = redis && createRedisFallback(redis, logger);
  const { demo: tokens } = config.tokensPerDay;
  return {
    fallback,
    limiters: createLimiters(config.limits, { fallback, clock }),
    demoBudget: tokens === undefined ? undefined : createTokenBudget({ name: 'demo', tokens, fallback, clock }),
    streams: createStreamLimit({ ...options.streams, total: config.maxStreams }),
    bodies: createBodyReader(options.bodies),
    lateWrites: createLateWrites({ ...options.lateWrites, logger, isFinal: isPermanentError }),
  };
}
