import { randomInt } from 'node:crypto';
import process from 'node:process';
import { parseArgs } from 'node:util';
import './mocha-context.ts';
import { runCampaign } from './campaign.ts';
import { described } from './report.ts';

const { values } = parseArgs({
  options: {
    /** How long to go on. */
    seconds: { type: 'string', default: '600' },
    /** What the cases are made from: the same seed gives the same cases. */
    seed: { type: 'string' },
    /** Only the case that a failure named, with its seed. */
    path: { type: 'string' },
  },
});

const say = (line: string) => process.stdout.write(`${line}\n`);
const seed = values.seed === undefined ? randomInt(2 ** 31) : Number(values.seed);
const seconds = Number(values.seconds);
if (!Number.isInteger(seed) || !(seconds > 0))
  throw new Error('--seed takes a whole number, and --seconds a positive one.');

say(`Seed ${seed}, for ${seconds} seconds.`);
const { cases, failure } = await runCampaign({ seed, seconds, path: values.path, say });
say(failure === undefined ? `${cases} cases, and none fails.` : described(failure));
process.exitCode = failure === undefined ? 0 : 1;
