import process from 'node:process';
import { parseArgs } from 'node:util';
import { measures } from './measures.ts';
import { describeMachine } from './report.ts';
import { openRig } from './rig.ts';

/*
 * Measures the product beside what else one could use, and prints tables. docs/performance.md says how, and how to read them.
 */

const { values } = parseArgs({
  options: {
    /** These measures alone, separated by commas. */
    only: { type: 'string', default: Object.keys(measures).join() },
    /** How many rounds count. */
    rounds: { type: 'string', default: '4' },
  },
});
const only = values.only.split(',');
const rounds = Number(values.rounds);
const unknown = only.filter((name) => measures[name] === undefined);
if (unknown.length > 0)
  throw new Error(`There is no ${unknown.join()}; there are ${Object.keys(measures).join(', ')}.`);

process.stdout.write(`${describeMachine()} ${rounds} rounds.\n`);
const say = (progress: string) => process.stderr.write(`… ${progress}\n`);
// No one asks more than once in a minute or so: far from live chat's limit.
const rig = await openRig({ visitors: 1000 });
try {
  for (const name of only) {
    process.stdout.write((await measures[name]?.({ rounds, rig, say })) ?? '');
  }
} finally {
  await rig.close();
}
