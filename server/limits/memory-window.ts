import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';

/** Milliseconds on a clock that never goes back or jumps, such as `performance.now()`. */
export type MonotonicClock = () => number;

type Options = { points: number; duration: number; clock: MonotonicClock; mostKeys: number };

/**
 * An exact sliding window in this process: at most `points` accepted requests in any trailing `duration` seconds.
 *
 * Memory is bounded by `mostKeys`. When a new key finds no room, those with the fewest requests make it, the longest
 * unused first, so that a flood of invented keys displaces itself. A key at its limit is never displaced: where all
 * are, the newcomer is refused instead.
 */
export class MemoryWindow extends RateLimiterMemory {
  readonly #clock: MonotonicClock;
  readonly #mostKeys: number;
  /** When each accepted request came, oldest first, by key, in one map per number of requests (1 … points). */
  readonly #keysByCount: Map<string, number[]>[];
  #keys = 0;

  constructor({ points, duration, clock, mostKeys }: Options) {
    super({ points, duration });
    this.#clock = clock;
    this.#mostKeys = mostKeys;
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
    if (this.#keys >= this.#mostKeys && !this.#makeRoom(now)) {
      throw new RateLimiterRes(0, this.msDuration, this.points + 1, false);
    }
    times.push(now);
    this.#put(String(key), times);
    return this.#result(times, now, times.length);
  }

  override async get(key: string | number): Promise<RateLimiterRes | null> {
    const now = this.#clock();
    const times = this.#take(String(key), now);
    if (times.length === 0) return null;
    this.#put(String(key), times);
    return this.#result(times, now, times.length);
  }

  override async delete(key: string | number): Promise<boolean> {
    return this.#take(String(key), this.#clock()).length > 0;
  }

  /** When the requests of `key` came that still count, oldest first. */
  timesOf(key: string): readonly number[] {
    const times = this.#keysByCount.find((keys) => keys.has(key))?.get(key) ?? [];
    return times.filter((time) => this.#counts(time));
  }

  /** The keys that have requests which still count. The others are forgotten. */
  liveKeys(): string[] {
    const live: string[] = [];
    for (const keys of this.#keysByCount) {
      for (const [key, times] of keys) {
        if (this.#counts(times.at(-1) ?? Number.NEGATIVE_INFINITY)) {
          live.push(key);
        } else {
          keys.delete(key);
          this.#keys -= 1;
        }
      }
    }
    return live;
  }

  #counts(time: number): boolean {
    return time > this.#clock() - this.msDuration;
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
    const fewestKeys = this.#keys - Math.ceil(this.#mostKeys / 1000);
    for (const [count, keys] of this.#keysByCount.entries()) {
      for (const [key, times] of keys) {
        const stillFull = count === this.points && (times[0] ?? 0) > now - this.msDuration;
        if (stillFull || this.#keys === fewestKeys) break;
        keys.delete(key);
        this.#keys -= 1;
      }
      if (this.#keys < this.#mostKeys) return true;
    }
    return false;
  }

  /** `msBeforeNext` is the time until the oldest counted request ages out. */
  #result(times: readonly number[], now: number, consumed: number): RateLimiterRes {
    const untilOldestAgesOut = this.msDuration - (now - (times[0] ?? now));
    return new RateLimiterRes(Math.max(this.points - consumed, 0), untilOldestAgesOut, consumed, consumed === 1);
  }
}
