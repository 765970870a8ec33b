import type { MonotonicClock } from './memory-window.ts';
import { mostUses, type TokenWindow } from './token-window.ts';

/** `usedAt` is on the window's clock. */
export type Use = { usedAt: number; tokens: number };
type Options = { budget: number; windowSeconds: number; clock: MonotonicClock; most?: number };

export type MemoryTokenWindow = TokenWindow & {
  /** The ids of the uses that still count. */
  ids(): string[];
  /** A use that still counts. */
  findUse(id: string): Readonly<Use> | undefined;
};

/** A window of tokens in this process. */
export function createMemoryTokenWindow({ budget, windowSeconds, clock, most = mostUses }: Options): MemoryTokenWindow {
  const windowMilliseconds = windowSeconds * 1000;
  /** By id, oldest first. */
  const uses = new Map<string, Use>();
  let sum = 0;

  function remove(id: string, { tokens }: Use): void {
    uses.delete(id);
    sum -= tokens;
  }

  function ageOut(now: number): void {
    for (const [id, use] of uses) {
      if (use.usedAt > now - windowMilliseconds) return;
      remove(id, use);
    }
  }

  function mergeOldest(): void {
    const [[oldestId, oldest] = [], [, next] = []] = uses;
    if (oldestId === undefined || oldest === undefined || next === undefined) return;
    uses.delete(oldestId);
    next.tokens += oldest.tokens;
  }

  /** How long it takes until so many of the oldest have aged out that the rest is below the budget. */
  function waitMilliseconds(now: number): number {
    let rest = sum;
    for (const { usedAt, tokens } of uses.values()) {
      rest -= tokens;
      if (rest < budget) return usedAt + windowMilliseconds - now;
    }
    return 0;
  }

  return {
    async reserve(id, tokens) {
      const now = clock();
      ageOut(now);
      if (sum >= budget) return { admitted: false, waitMilliseconds: waitMilliseconds(now) };
      uses.set(id, { usedAt: now, tokens });
      sum += tokens;
      if (uses.size > most) mergeOldest();
      return { admitted: true };
    },

    async settle(id, tokens) {
      ageOut(clock());
      const use = uses.get(id);
      if (use === undefined) return;
      sum += tokens - use.tokens;
      use.tokens = tokens;
    },

    async used() {
      ageOut(clock());
      return sum;
    },

    ids() {
      ageOut(clock());
      return [...uses.keys()];
    },

    findUse(id) {
      ageOut(clock());
      return uses.get(id);
    },
  };
}
