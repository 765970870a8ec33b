import { type RedisClient, requireReady } from '../redis/client.ts';
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

/** Of more uses than `most` the oldest count with the one after it; and all of it goes when the window is over. */
const keep = (most: string) => `
while redis.call('ZCARD', times) > ${most} do
  local oldest = redis.call('ZRANGE', times, 0, 1)
  redis.call('HINCRBY', tokens, oldest[2], redis.call('HGET', tokens, oldest[1]))
  redis.call('HDEL', tokens, oldest[1])
  redis.call('ZREM', times, oldest[1])
end
redis.call('PEXPIRE', times, text(window / 1000))
redis.call('PEXPIRE', tokens, text(window / 1000))
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
${keep('most')}return -1
`;

/**
 * ARGV: the window in seconds, the most uses; then of each use its id, its tokens, and its age in microseconds. The
 * age -1 only settles a use. A known use gets the new number of tokens and keeps its age.
 */
const add = `${begin}
for index = 3, #ARGV, 3 do
  local id, used, age = ARGV[index], ARGV[index + 1], tonumber(ARGV[index + 2])
  local usedAt = now - age
  local known = redis.call('ZSCORE', times, id)
  if known or (age >= 0 and usedAt > now - window) then
    redis.call('HINCRBY', tokens, 'sum', text(used - number(redis.call('HGET', tokens, id))))
    redis.call('HSET', tokens, id, used)
    if age >= 0 and (not known or tonumber(known) > usedAt) then redis.call('ZADD', times, text(usedAt), id) end
  end
end
${keep('tonumber(ARGV[2])')}`;

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

/** What Redis is told of a use that was counted elsewhere, or, without an age, settled while Redis was away. */
export type ToldUse = { id: string; tokens: number; ageMilliseconds: number | undefined };

export type RedisTokenWindow = TokenWindow & {
  /** Counts the uses too. It may be told the same twice. */
  add(uses: readonly ToldUse[]): Promise<void>;
};

type Options = { redis: RedisClient; name: string; budget: number; windowSeconds: number; most?: number };

/** A window of tokens on Redis. Rejects while Redis is away. */
export function createRedisTokenWindow(options: Options): RedisTokenWindow {
  const { redis, name, budget, windowSeconds, most = mostUses } = options;
  // The braces keep both on one node of a cluster.
  const keys = [`advisory-chat:budget:{${name}}:times`, `advisory-chat:budget:{${name}}:tokens`];
  async function run(script: string, ...values: (string | number)[]): Promise<unknown> {
    requireReady(redis);
    return redis.eval(script, keys.length, ...keys, windowSeconds, ...values);
  }

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
    async add(uses) {
      const values = uses.flatMap(({ id, tokens, ageMilliseconds: age }) => [
        id,
        tokens,
        age === undefined ? -1 : Math.round(age * 1000),
      ]);
      await run(add, most, ...values);
    },
  };
}
