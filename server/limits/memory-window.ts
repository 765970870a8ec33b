import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';

/** Milliseconds on a clock that never goes back or jumps, such as `performance.now()`. */
export type MonotonicClock = () => number;

type Options = { points: number; duration: number; clock: MonotonicClock; maxKeys: number };

/**
 * An exact sliding window in this process: at most `points` accepted requests in any trailing `duration` seconds.
 *
 * Memory is bounded by `maxKeys`. When a new key finds no room, those with the fewest requests make it, the longest
 * unused first, so that a flood of invented keys displaces itself. A key at its limit is never displaced: where all
 * are, the newcomer is refused instead.
 */
export class MemoryWindow extends RateLimiterMemory {
  readonly #clock: MonotonicClock;
  readonly #maxKeys: number;
  /** When each accepted request came, oldest first, by key, in one map per number of requests (1 … points). */
  readonly #keysByCount: Map<string, number[]>[];
  #keys = 0;

  constructor({ points, duration, clock, maxKeys }: Options) {
    super({ points, duration });
    this.#clock = clock;
    this.#maxKeys = maxKeys;
    this.#keysByCount = Array.from({ length: points + 1 }, () => new Map());
  }

  /** `points` is 1, or 0 to see whether there is room without taking any. */
  override async consume(key: string | number, points = 1): Promise<RateLimiterRes> {
    const now = this.#clock();
    const times = this.#take(String(key), now);
    if (times.length >= this.points) {
      this.#put(String(key), times);
      throw this.#result(times, now, times.length + 1);
    }
    if (points === 0) {
      if (times.length > 0) this.#put(String(key), times);
      return this.#result(times, now, times.length);
    }
    if (this.#keys >= this.#maxKeys && !this.#makeRoom(now)) {
      throw new RateLimiterRes(0, this.msDuration, this.points + 1, false);
    }
    times.push(now);
    this.#put(String(key), times);
    return this.#result(times, now, times.length);
  }

  /** Removes the key and gives its requests that still count. */
  #take(key: string, now: number): number[] {
    for (const keys of this.#keysByCount) {
      const times = keys.get(key);
      if (times === undefined) continue;
      keys.delete(key);
      this.#keys -= 1;
      const firstCounted = times.findIndex((time) => time > now - this.msDuration);
      return firstCounted === -1 ? [] : times.slice(firstCounted);
    }
    return [];
  }

  #put(key: string, times: number[]): void {
    this.#keysByCount[times.length]?.set(key, times);
    this.#keys += 1;
  }

  /** Displaces a thousandth at once: a map takes the longer to find its first key the more were removed before it. */
  #makeRoom(now: number): boolean {
    const remainingKeys = this.#keys - Math.ceil(this.#maxKeys / 1000);
    for (const [count, keys] of this.#keysByCount.entries()) {
      for (const [key, times] of keys) {
        const stillFull = count === this.points && (times[0] ?? 0) > now - this.msDuration;
        if (stillFull || this.#keys === remainingKeys) break;
        keys.delete(key);
        this.#keys -= 1;
      }
      if (this.#keys < this.#maxKeys) return true;
    }
    return false;
  }

  /** `msBeforeNext` is the time until the oldest counted request ages out. */
  #result(times: readonly number[], now: number, consumed: number): RateLimiterRes {
    const untilOldestAgesOut = this.msDuration - (now - (times[0] ?? now));
    return new RateLimiterRes(Math.max(this.points - consumed, 0), untilOldestAgesOut, consumed, consumed === 1);
  }
}
