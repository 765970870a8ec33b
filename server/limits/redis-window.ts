import { RateLimiterRedis } from 'rate-limiter-flexible';
import type { RedisClient } from '../redis/client.ts';

/**
 * The sliding window over all instances, in one atomic step on Redis' own clock. A sorted set has the times of the accepted
 * requests in microseconds. The script gives the count, which is above the limit where the request is refused, and then the
 * milliseconds until there is a place. A refused request is not recorded. Times that lie ahead, because the clock was set back,
 * count as now. A request that only looks is recorded and removed: it fails too where Redis takes no writes or has no memory.
 *
 * ARGV: places to take (1, or 0 to look only), the window in seconds, the limit.
 */
const slidingWindow = `
local key, window, limit = KEYS[1], ARGV[2] * 1000000, tonumber(ARGV[3])
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local text = function(number) return string.format('%.0f', number) end

for _, member in ipairs(redis.call('ZRANGEBYSCORE', key, '(' .. text(now), '+inf')) do
  redis.call('ZADD', key, text(now), member)
end
redis.call('ZREMRANGEBYSCORE', key, '-inf', text(now - window))

local before = redis.call('ZCARD', key)
local member = text(now) .. '-' .. before
redis.call('ZADD', key, text(now), member)
if before < limit and tonumber(ARGV[1]) > 0 then
  redis.call('PEXPIRE', key, text(window / 1000))
  return { before + 1, 0 }
end
redis.call('ZREM', key, member)
if before < limit then return { before, 0 } end
local decides = redis.call('ZRANGE', key, before - limit, before - limit, 'WITHSCORES')
return { limit + 1, math.ceil((decides[2] + window - now) / 1000) }
`;

type Options = { redis: RedisClient; points: number; duration: number; keyPrefix: string };

/** The window on Redis. It rejects while Redis is unavailable. */
export function createRedisWindow({ redis, ...options }: Options): RateLimiterRedis {
  return new RateLimiterRedis({
    ...options,
    storeClient: redis,
    customIncrTtlLuaScript: slidingWindow,
    // A cluster's client would keep a command until it has a connection.
    rejectIfRedisNotReady: true,
  });
}
