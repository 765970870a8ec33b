import { RateLimiterRedis } from 'rate-limiter-flexible';
import type { RedisClient } from '../redis/client.ts';

/**
 * One sliding window for all instances, evaluated atomically by Redis' own clock. A sorted set holds the times of the
 * accepted requests in microseconds. Returns the count, which exceeds the limit if the request is refused, and the
 * milliseconds until the next request is accepted. Refused requests are not recorded. Times in the future, which exist
 * after the clock was set back, are treated as the current time. A check adds a member and removes it again, so that it
 * fails like a counted request if Redis is read-only or out of memory.
 *
 * ARGV: requests to count (1, or 0 for a check), the window in seconds, the limit.
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

export function createRedisWindow({ redis, ...options }: Options): RateLimiterRedis {
  return new RateLimiterRedis({
    ...options,
    storeClient: redis,
    customIncrTtlLuaScript: slidingWindow,
    // Rejects immediately. Otherwise, a cluster client would queue commands until it is connected.
    rejectIfRedisNotReady: true,
  });
}
