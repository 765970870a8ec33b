import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { Logger } from 'pino';
import { createMemoryTokenWindow } from './memory-token-window.ts';
import type { MonotonicClock } from './memory-window.ts';
import { createRedisPresence } from './redis-presence.ts';
import { createRedisTokenWindow } from './redis-token-window.ts';
import type { TokenWindow } from './token-window.ts';

/** Counts what was really used in place of what was reserved. Never fails; while Redis is away the reservation stays. */
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
  redis: Redis | undefined;
  clock: MonotonicClock;
  logger: Logger;
};

/** Counts tokens on Redis where there is one, and in this process while it is away. */
export function createTokenBudget({ name, tokens: budget, windowSeconds, redis, clock, logger }: Options): TokenBudget {
  const here = createMemoryTokenWindow({ budget, windowSeconds, clock });
  const use = redis === undefined ? undefined : shareOn(redis);

  function shareOn(redis: Redis) {
    const there = createRedisTokenWindow({ redis, name, budget, windowSeconds });
    const probeKey = `advisory-chat:budget:${name}-probe`;
    const presence = createRedisPresence({ limiter: `${name} budget`, redis, probeKey, clock, logger });
    return <Result>(work: (window: TokenWindow) => Promise<Result>) =>
      presence.use(
        () => work(there),
        () => work(here),
      );
  }

  /** In the window that is in use now. */
  const inWindow = <Result>(work: (window: TokenWindow) => Promise<Result>) => (use ? use(work) : work(here));

  return {
    async reserve(tokens) {
      const id = randomUUID();
      const { admission, window } = await inWindow(async (window) => ({
        admission: await window.reserve(id, tokens),
        window,
      }));
      if (!admission.admitted) {
        return { retryAfterSeconds: Math.max(1, Math.ceil(admission.waitMilliseconds / 1000)) };
      }
      return { settle: (used) => window.settle(id, used).catch(() => undefined) };
    },

    async left() {
      return Math.max(0, budget - (await inWindow((window) => window.used())));
    },
  };
}
