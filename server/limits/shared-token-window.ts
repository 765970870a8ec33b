import type { Logger } from 'pino';
import type { RedisClient } from '../redis/client.ts';
import type { MemoryTokenWindow } from './memory-token-window.ts';
import type { MonotonicClock } from './memory-window.ts';
import { createRedisPresence } from './redis-presence.ts';
import { createRedisTokenWindow, type ToldUse } from './redis-token-window.ts';
import { mostUses, type TokenWindow } from './token-window.ts';

/** How many uses Redis is told at once. */
const usesAtOnce = 500;

type Options = {
  name: string;
  budget: number;
  windowSeconds: number;
  redis: RedisClient;
  /** Counts in this process while Redis is away. */
  here: MemoryTokenWindow;
  clock: MonotonicClock;
  logger: Logger;
};

/**
 * The window of tokens on Redis, and the one in this process while Redis is away. Before Redis is used again it is told
 * what was counted and settled here meanwhile.
 */
export function createSharedTokenWindow(options: Options): TokenWindow {
  const { name, budget, windowSeconds, redis, here, clock, logger } = options;
  const there = createRedisTokenWindow({ redis, name, budget, windowSeconds });
  /** Ids of uses that were counted here, and that Redis is not known to have. */
  let owed = new Set<string>();
  /** What uses on Redis were settled at while it was away, by their ids. */
  const settled = new Map<string, number>();

  const presence = createRedisPresence({
    limiter: `${name} budget`,
    redis,
    look: tell,
    onReturn() {
      // Redis may have lost its data. To tell it again changes nothing if it has not.
      owed = new Set(here.ids());
      if (owed.size > 0) void presence.use(tell, async () => undefined);
    },
    logger,
  });

  /** Until nothing is left: what is used meanwhile is counted here as well. */
  async function tell(): Promise<void> {
    do {
      const among = owed;
      const ids = [...among].slice(0, usesAtOnce);
      const settlements = [...settled].slice(0, usesAtOnce);
      await there.add([...ids.flatMap(countedHere), ...settlements.map(settlement)]);
      for (const id of ids) among.delete(id);
      for (const [id, tokens] of settlements) if (settled.get(id) === tokens) settled.delete(id);
    } while (owed.size > 0 || settled.size > 0);
  }

  function countedHere(id: string): ToldUse[] {
    const use = here.findUse(id);
    return use === undefined ? [] : [{ id, tokens: use.tokens, ageMilliseconds: clock() - use.usedAt }];
  }

  function settleLater(id: string, tokens: number): void {
    if (settled.size < mostUses) settled.set(id, tokens);
  }

  return {
    reserve(id, tokens) {
      let asked = false;
      return presence.use(
        () => {
          asked = true;
          return there.reserve(id, tokens);
        },
        async () => {
          const admission = await here.reserve(id, tokens);
          if (admission.admitted) owed.add(id);
          // Redis did not answer, and may have counted it all the same.
          else if (asked) settleLater(id, 0);
          return admission;
        },
      );
    },

    async settle(id, tokens) {
      await here.settle(id, tokens);
      await presence.use(
        () => there.settle(id, tokens),
        async () => settleLater(id, tokens),
      );
    },

    used: () =>
      presence.use(
        () => there.used(),
        () => here.used(),
      ),
  };
}

function settlement([id, tokens]: [string, number]): ToldUse {
  return { id, tokens, ageMilliseconds: undefined };
}
