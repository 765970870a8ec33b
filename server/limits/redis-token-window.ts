import type { Redis } from 'ioredis';
import { type Admission, mostUses, type TokenWindow } from './token-window.ts';

/**
 * The same window over all instances, each operation one atomic step on Redis' own clock. A sorted set has the times of
 * the uses by id, in microseconds; a hash has their tokens, and their sum. Where Redis has evicted one of the two, the
 * other is of no use. Times that lie ahead, because the clock was set back, count as now.
 */
const begin = `
local times, tokens, window = KEYS[1], KEYS[2], ARGV[1] * 1000000
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local text = function(number) return string.format('%.0f', number) end
local number = function(value) return tonumber(value or 0) end
local sum = function() return number(redis.call('HGET', tokens, 'sum')) end

for _, id in ipairs(redis.call('ZRANGEBYSCORE', times, '(' .. text(now), '+inf')) do
  redis.call('ZADD', times, text(now), id)
end
for _, id in ipairs(redis.call('ZRANGEBYSCORE', times, '-inf', text(now - window))) do
  redis.call('HINCRBY', tokens, 'sum', text(0 - number(redis.call('HGET', tokens, id))))
  redis.call('HDEL', tokens, id)
  redis.call('ZREM', times, id)
end
local uses = redis.call('ZCARD', times)
if uses ~= math.max(redis.call('HLEN', tokens) - 1, 0) then
  redis.call('DEL', times, tokens)
  uses = 0
end
`;

/** ARGV: the window in seconds, the id, the tokens, the budget, the most uses. Gives the milliseconds to wait, or -1. */
const reserve = `${begin}
local id, asked, budget, most = ARGV[2], ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[5])
local rest = sum()
if rest >= budget then
  local index = 0
  while true do
    local oldest = redis.call('ZRANGE', times, index, index, 'WITHSCORES')
    rest = rest - number(redis.call('HGET', tokens, oldest[1]))
    if rest < budget then return math.ceil((oldest[2] + window - now) / 1000) end
    index = index + 1
  end
end

redis.call('ZADD', times, text(now), id)
redis.call('HSET', tokens, id, asked)
redis.call('HINCRBY', tokens, 'sum', asked)
if uses >= most then
  local oldest = redis.call('ZRANGE', times, 0, 1)
  redis.call('HINCRBY', tokens, oldest[2], redis.call('HGET', tokens, oldest[1]))
  redis.call('HDEL', tokens, oldest[1])
  redis.call('ZREM', times, oldest[1])
end
redis.call('PEXPIRE', times, text(window / 1000))
redis.call('PEXPIRE', tokens, text(window / 1000))
return -1
`;

/** ARGV: the window in seconds, the id, the tokens. */
const settle = `${begin}
local id, used = ARGV[2], ARGV[3]
local reserved = redis.call('HGET', tokens, id)
if reserved then
  redis.call('HSET', tokens, id, used)
  redis.call('HINCRBY', tokens, 'sum', text(used - reserved))
end
`;

/** ARGV: the window in seconds. */
const read = `${begin}
return sum()
`;

type Options = { redis: Redis; name: string; budget: number; windowSeconds: number; most?: number };

/** A window of tokens on Redis. Rejects while Redis is away. */
export function createRedisTokenWindow({ redis, name, budget, windowSeconds, most = mostUses }: Options): TokenWindow {
  // The braces keep both on one node of a cluster.
  const keys = [`advisory-chat:budget:{${name}}:times`, `advisory-chat:budget:{${name}}:tokens`];
  const run = (script: string, ...values: (string | number)[]) =>
    redis.eval(script, keys.length, ...keys, windowSeconds, ...values);

  return {
    async reserve(id, tokens): Promise<Admission> {
      const waitMilliseconds = Number(await run(reserve, id, tokens, budget, most));
      return waitMilliseconds < 0 ? { admitted: true } : { admitted: false, waitMilliseconds };
    },
    async settle(id, tokens) {
      await run(settle, id, tokens);
    },
    async used() {
      return Number(await run(read));
    },
  };
}
