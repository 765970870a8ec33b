import type { Result } from 'ioredis';
import { RateLimiterRedis, type RateLimiterRes } from 'rate-limiter-flexible';
import { type RedisClient, requireReady } from '../redis/client.ts';

/**
 * The same window over all instances, in one atomic step on Redis' own clock: a sorted set of the accepted requests'
 * times in microseconds, by the requests' ids. Gives the count and the milliseconds until the oldest counted request ages
 * out; a refused request is not recorded. Times that lie ahead, because the clock was set back, count as now.
 *
 * ARGV: places to take (1, or 0 to look only), the window in seconds, the limit, the request's id; the number of ids that do
 * not count, and these ids; then the requests that an instance has counted while it was alone, an id and an age in
 * microseconds each. An instance may tell all of it twice: the script counts no id a second time. When many instances
 * were alone, the script keeps only the youngest of their requests, as many as the limit can depend on.
 */
const slidingWindow = `
local key, window, limit, id = KEYS[1], ARGV[2] * 1000000, tonumber(ARGV[3]), ARGV[4]
local firstCounted = 6 + ARGV[5]
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local text = function(number) return string.format('%.0f', number) end

for _, member in ipairs(redis.call('ZRANGEBYSCORE', key, '(' .. text(now), '+inf')) do
  redis.call('ZADD', key, text(now), member)
end
for index = 6, firstCounted - 1 do redis.call('ZREM', key, ARGV[index]) end
for index = firstCounted, #ARGV, 2 do
  local countedAt, known = now - ARGV[index + 1], redis.call('ZSCORE', key, ARGV[index])
  if not known or tonumber(known) > countedAt then redis.call('ZADD', key, text(countedAt), ARGV[index]) end
end
redis.call('ZREMRANGEBYSCORE', key, '-inf', text(now - window))
if firstCounted <= #ARGV then
  redis.call('ZREMRANGEBYRANK', key, 0, -1 - limit)
  redis.call('PEXPIRE', key, text(window / 1000))
end

local count = redis.call('ZCARD', key)
local taken = redis.call('ZSCORE', key, id)
local refused = count >= limit and not taken
if not refused and tonumber(ARGV[1]) == 0 then return { count, 0 } end
if not refused and not taken then
  redis.call('ZADD', key, text(now), id)
  redis.call('PEXPIRE', key, text(window / 1000))
  count = count + 1
end

local oldest = redis.call('ZRANGE', key, math.max(count - limit, 0), math.max(count - limit, 0), 'WITHSCORES')
local milliseconds = math.ceil((oldest[2] + window - now) / 1000)
return { refused and limit + 1 or math.min(count, limit), milliseconds }
`;

/** What Redis is told beside the request itself. */
export type Told = {
  /** Ids that do not count: their requests were judged elsewhere, and Redis may have counted them all the same. */
  voided: readonly string[];
  /** Requests that were counted elsewhere. */
  counted: readonly { id: string; ageMilliseconds: number }[];
};

type Options = { redis: RedisClient; points: number; duration: number; keyPrefix: string };
type Request = { id: string; told: Told };

declare module 'ioredis' {
  interface RedisCommander<Context> {
    /** The window's step, as the library has named and defined it. */
    rlflxIncr(parameters: (string | number)[]): Result<unknown, Context>;
  }
}

/** The window on Redis. Rejects while Redis is away. */
export class RedisWindow extends RateLimiterRedis {
  readonly #redis: RedisClient;

  constructor({ redis, points, duration, keyPrefix }: Options) {
    super({ storeClient: redis, points, duration, keyPrefix, customIncrTtlLuaScript: slidingWindow });
    this.#redis = redis;
  }

  /**
   * Takes one place in the window of `key` for the request `id`, once however often it is sent, or none; rejects with the
   * `RateLimiterRes` that says until when there is none.
   */
  step(key: string, points: 0 | 1, id: string, told: Told = { voided: [], counted: [] }): Promise<RateLimiterRes> {
    const request: Request = { id, told };
    return this.consume(key, points, request);
  }

  /** The library's own step has no room for more than a number of points. */
  async _upsert(key: string, points: number, _milliseconds: number, _force: boolean, { id, told }: Request) {
    requireReady(this.#redis);
    const counted = told.counted.flatMap(({ id, ageMilliseconds }) => [id, Math.round(ageMilliseconds * 1000)]);
    const limit = [points, this.duration, this.points];
    return this.#redis.rlflxIncr([key, ...limit, id, told.voided.length, ...told.voided, ...counted]);
  }
}
