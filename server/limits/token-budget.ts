import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { RedisClient } from '../redis/client.ts';
import { createMemoryTokenWindow } from './memory-token-window.ts';
import type { MonotonicClock } from './memory-window.ts';
import { createSharedTokenWindow } from './shared-token-window.ts';

/** Counts what was really used in place of what was reserved; while Redis is away, once it is back. Never fails. */
type Settle = (tokens: number) => Promise<void>;

export type TokenBudget = {
  /** Reserves the most that may be used, or gives the whole seconds until the window's sum is below the budget again. */
  reserve(tokens: number): Promise<{ settle: Settle } | { retryAfterSeconds: number }>;
  /** The tokens that are left now. */
  left(): Promise<number>;
};

type Options = {
  name: string;
  tokens: number;
  windowSeconds: number;
  redis: RedisClient | undefined;
  clock: MonotonicClock;
  logger: Logger;
};

/** Counts tokens on Redis where there is one, and in this process while it is away. */
export function createTokenBudget({ name, tokens: budget, windowSeconds, redis, clock, logger }: Options): TokenBudget {
  const here = createMemoryTokenWindow({ budget, windowSeconds, clock });
  const window =
    redis === undefined ? here : createSharedTokenWindow({ name, budget, windowSeconds, redis, here, clock, logger });

  return {
    async reserve(tokens) {
      const id = randomUUID();
      const admission = await window.reserve(id, tokens);
      return admission.admitted
        ? { settle: (used) => window.settle(id, used) }
        : { retryAfterSeconds: Math.max(1, Math.ceil(admission.waitMilliseconds / 1000)) };
    },

    async left() {
      return Math.max(0, budget - (await window.used()));
    },
  };
}
