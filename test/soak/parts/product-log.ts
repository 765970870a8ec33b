import { z } from 'zod';
import type { AwayFromRedis, Life, Moment } from '../records.ts';

const lineSchema = z.object({ time: z.number(), msg: z.string(), limiter: z.string().optional() });

const goneMessage = 'Redis is away: this process counts by itself';
const backMessage = 'Redis is back: rate-limit counts are shared again';

/** When each limiter counted by itself, by what the product says in its log; `lives` tells its processes apart. */
export function readAwayFromRedis(logLines: readonly string[], lives: readonly Life[]): AwayFromRedis[] {
  const away: AwayFromRedis[] = [];
  for (const line of logLines) {
    if (!line.includes('"limiter"')) continue;
    const { time, msg, limiter } = lineSchema.parse(JSON.parse(line));
    if (limiter === undefined) continue;
    const life = lifeAt(lives, time);
    if (msg === goneMessage) away.push({ limiter, life, from: time, to: lives[life]?.exitedAt ?? Number.MAX_VALUE });
    const last = away.findLast((episode) => episode.limiter === limiter && episode.life === life);
    if (msg === backMessage && last) last.to = time;
  }
  return away;
}

function lifeAt(lives: readonly Life[], time: Moment): number {
  return lives.findLastIndex(({ startedAt }) => startedAt <= time);
}
