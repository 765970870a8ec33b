import type { Logger } from 'pino';
import { RateLimiterRes } from 'rate-limiter-flexible';
import type { RedisClient } from '../redis/client.ts';
import { createCountedAlone } from './counted-alone.ts';
import type { MemoryWindow, MonotonicClock } from './memory-window.ts';
import { createRedisPresence } from './redis-presence.ts';
import { RedisWindow } from './redis-window.ts';

/** How many keys Redis is told at once of what was counted here while it was away. */
const keysAtOnce = 100;

type Options = {
  name: string;
  points: number;
  duration: number;
  redis: RedisClient;
  /** Counts in this process while Redis is away. */
  here: MemoryWindow;
  clock: MonotonicClock;
  logger: Logger;
};

/**
 * The window on Redis, and the one in this process while Redis is away. What was counted here then is counted on Redis
 * afterwards: with the next request of its key, and beside the requests.
 */
export function createSharedWindow({ name, points, duration, redis, here, clock, logger }: Options) {
  const shared = new RedisWindow({ redis, points, duration, keyPrefix: `advisory-chat:limit:${name}` });
  const alone = createCountedAlone({ here, clock });
  /** With which Redis is looked for: of a cluster, the node that has it may be the only one that is away. */
  let failedKey = '';

  const presence = createRedisPresence({
    limiter: name,
    redis,
    look: () => tell(failedKey, { all: true }),
    onReturn() {
      alone.oweAll();
      void tellTheRest();
    },
    isAnswer,
    logger,
  });

  async function ask(key: string, wanted: 0 | 1, { all = false } = {}): Promise<RateLimiterRes> {
    const id = alone.newId();
    const owed = alone.owedOf(key, { all });
    try {
      const result = await shared.step(key, wanted, id, owed);
      owed.told();
      return result;
    } catch (error) {
      if (isAnswer(error)) {
        owed.told();
      } else {
        failedKey = key;
        if (wanted > 0) alone.doubt(key, id);
      }
      throw error;
    }
  }

  async function tell(key: string, options?: { all: boolean }): Promise<void> {
    await ask(key, 0, options).catch((error: unknown) => {
      if (!isAnswer(error)) throw error;
    });
  }

  async function tellTheRest(): Promise<void> {
    const keys = alone.owedKeys();
    for (let first = 0; first < keys.length && !presence.away; first += keysAtOnce) {
      const owed = keys.slice(first, first + keysAtOnce).filter(alone.isOwed);
      await Promise.all(
        owed.map((key) =>
          presence.use(
            () => tell(key),
            async () => undefined,
          ),
        ),
      );
    }
  }

  return {
    /** Whether the counts are on Redis now. */
    get shared(): boolean {
      return !presence.away;
    },

    /** Takes one place in the window of `key`, or none, or rejects with the `RateLimiterRes` that says until when. */
    consume(key: string, wanted: 0 | 1): Promise<RateLimiterRes> {
      return presence.use(
        () => ask(key, wanted),
        () => here.consume(key, wanted),
      );
    },
  };
}

function isAnswer(error: unknown): boolean {
  return error instanceof RateLimiterRes;
}
