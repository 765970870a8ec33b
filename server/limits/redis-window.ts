import type { Redis } from 'ioredis';
import { RateLimiterRedis } from 'rate-limiter-flexible';

/**
 * The same window over all instances, in one atomic step on Redis' own clock: a sorted set of the accepted requests'
 * times in microseconds. Gives the count and the milliseconds until the oldest counted request ages out; a refused
 * request is not recorded. Times that lie ahead, because the clock was set back, count as now.
 * ARGV is the limiter's: points to consume (1, or 0 to look only), the window in seconds, the limit.
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

local count = redis.call('ZCARD', key)
local refused = count >= limit
if not refused and tonumber(ARGV[1]) == 0 then return { count, 0 } end
if not refused then
  local suffix = 0
  while redis.call('ZADD', key, 'NX', text(now), text(now) .. '-' .. suffix) == 0 do suffix = suffix + 1 end
  redis.call('PEXPIRE', key, text(window / 1000))
  count = count + 1
end

local oldest = redis.call('ZRANGE', key, math.max(count - limit, 0), math.max(count - limit, 0), 'WITHSCORES')
local milliseconds = math.ceil((oldest[2] + window - now) / 1000)
return { refused and limit + 1 or count, milliseconds }
`;

export function createRedisWindow(options: { redis: Redis; points: number; duration: number; keyPrefix: string }) {
  const { redis, points, duration, keyPrefix } = options;
  return new RateLimiterRedis({
    storeClient: redis,
    points,
    duration,
    keyPrefix,
    rejectIfRedisNotReady: true,
    customIncrTtlLuaScript: slidingWindow,
  });
}
