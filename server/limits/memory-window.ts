import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';

/** Returns milliseconds, like `performance.now()`, and never jumps or goes backwards. */
export type MonotonicClock = () => number;

type Options = { points: number; duration: number; clock: MonotonicClock; maxKeys: number };

/**
 * An exact sliding window in this process: at most `points` accepted requests in any trailing `duration` seconds.
 *
 * Memory is bounded by `maxKeys`. A new key evicts those with the fewest requests, least recently used first, so that a
 * flood of invented keys evicts itself. A key at its limit is never evicted: if all keys are, the new one is refused.
 */
export class MemoryWindow extends RateLimiterMemory {
  readonly #clock: MonotonicClock;
  readonly #maxKeys: number;
  /** One map per number of accepted requests (1 … points), from each key to the times of its requests, oldest first. */
  readonly #timesByCount: Map<string, number[]>[];
  #keyCount = 0;

  constructor({ points, duration, clock, maxKeys }: Options) {
    super({ points, duration });
    this.#clock = clock;
    this.#maxKeys = maxKeys;
    this.#timesByCount = Array.from({ length: points + 1 }, () => new Map());
  }

  /** `points` is 1, or 0 to check the limit without counting a request. */
  override async consume(key: string | number, points = 1): Promise<RateLimiterRes> {
    const now = this.#clock();
    const times = this.#take(String(key), now);
    if (times.length >= this.points) {
      this.#put(String(key), times);
      throw this.#result(times, now);
    }
    if (points === 0) {
      if (times.length > 0) this.#put(String(key), times);
      return this.#result(times, now);
    }
    if (this.#keyCount >= this.#maxKeys && !this.#evict(now)) {
      throw new RateLimiterRes(0, this.msDuration);
    }
    times.push(now);
    this.#put(String(key), times);
    return this.#result(times, now);
  }

  /** Removes the key and returns the times of its requests that are still within the window. */
  #take(key: string, now: number): number[] {
    for (const timesByKey of this.#timesByCount) {
      const times = timesByKey.get(key);
      if (times === undefined) continue;
      timesByKey.delete(key);
      this.#keyCount -= 1;
      const firstCounted = times.findIndex((time) => time > now - this.msDuration);
      return firstCounted === -1 ? [] : times.slice(firstCounted);
    }
    return [];
  }

  #put(key: string, times: number[]): void {
    this.#timesByCount[times.length]?.set(key, times);
    this.#keyCount += 1;
  }

  /**
   * Returns false if every key is at its limit. Evicts a thousandth of all keys at once, because finding the first key of a map
   * becomes slower with each deletion before it.
   */
  #evict(now: number): boolean {
    const remainingKeys = this.#keyCount - Math.ceil(this.#maxKeys / 1000);
    for (const [count, timesByKey] of this.#timesByCount.entries()) {
      for (const [key, times] of timesByKey) {
        const isAtLimit = count === this.points && (times[0] ?? 0) > now - this.msDuration;
        if (isAtLimit || this.#keyCount === remainingKeys) break;
        timesByKey.delete(key);
        this.#keyCount -= 1;
      }
      if (this.#keyCount < this.#maxKeys) return true;
    }
    return false;
  }

  /** `consumedPoints` is the number of counted requests, and `msBeforeNext` the time until the oldest one ages out. */
  #result(times: readonly number[], now: number): RateLimiterRes {
    const untilOldestAgesOut = this.msDuration - (now - (times[0] ?? now));
    return new RateLimiterRes(this.points - times.length, untilOldestAgesOut, times.length);
  }
}
