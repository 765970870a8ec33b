import process from 'node:process';
import { Redis } from 'ioredis';
import { createId } from '../../server/database/ids.ts';
import { RedisWindow } from '../../server/limits/redis-window.ts';
import { showSpread, spreadOf } from '../report/spread.ts';
import type { Measure } from './measure.ts';

/** What live chat's limit takes of Redis: for each question, and for everybody who has asked in the last minute. */
export const measureLimits: Measure = async ({ quick, rounds, say }) => {
  const url = process.env.TEST_REDIS_URL;
  if (url === undefined) throw new Error('TEST_REDIS_URL is not set: run this with .ci/with-services.');
  const calls = quick ? 2_000 : 20_000;
  const redis = new Redis(url);
  const rows: string[][] = [];
  try {
    for (const questions of [1, 5, 60]) {
      const microseconds: number[] = [];
      const bytes: number[] = [];
      for (let round = 0; round <= rounds; round += 1) {
        say(`limits: ${questions} questions a minute, ${round === 0 ? 'warming up' : `round ${round} of ${rounds}`}`);
        await redis.flushdb();
        const window = new RedisWindow({ redis, points: 60, duration: 60, keyPrefix: 'advisory-chat:limit:live' });
        const counted = Math.ceil(calls / questions);
        const before = await processorTime(redis);
        for (let question = 0; question < questions; question += 1) {
          await Promise.all(Array.from({ length: counted }, (_, person) => window.step(nameOf(person), 1, createId())));
        }
        if (round === 0) continue;
        microseconds.push(((await processorTime(redis)) - before) / (counted * questions));
        bytes.push(Number(await redis.memory('USAGE', `advisory-chat:limit:live:${nameOf(1)}`, 'SAMPLES', 0)));
      }
      rows.push([String(questions), showSpread(spreadOf(microseconds), 0), showSpread(spreadOf(bytes), 0)]);
    }
  } finally {
    redis.disconnect();
  }
  return [
    {
      heading: 'What a limit takes of Redis',
      about:
        'Live chat’s limit, by how many questions somebody has asked in the last minute: Redis’ own accounts, of its processor time for reading, counting and answering.',
      columns: ['questions', 'processor time of each, µs', 'bytes for the person'],
      rows,
    },
  ];
};

/** As long as a person's id. */
const nameOf = (person: number) => `c${String(person).padStart(24, '0')}`;

/** Microseconds of processor time that Redis' main thread has had so far. */
async function processorTime(redis: Redis): Promise<number> {
  const accounts = await redis.info('cpu');
  const seconds = (kind: string) => Number(new RegExp(`used_cpu_${kind}_main_thread:([\\d.]+)`).exec(accounts)?.[1]);
  return (seconds('user') + seconds('sys')) * 1e6;
}
