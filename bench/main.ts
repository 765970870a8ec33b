import process from 'node:process';
import { parseArgs } from 'node:util';
import { measures } from './measures.ts';
import { describeMachine, printTable } from './report.ts';
import { openRig } from './rig.ts';

/*
 * Measures the product beside what else one could use, and prints tables. docs/performance.md says how, and how to read them.
 */

const { values } = parseArgs({
  options: {
    /** Fewer rounds, fewer streams, no goals: a look, not a result. */
    quick: { type: 'boolean', default: false },
    /** These measures alone, separated by commas. */
    only: { type: 'string', default: Object.keys(measures).join() },
    /** How many rounds count. */
    rounds: { type: 'string' },
  },
});
const { quick } = values;
const only = values.only.split(',');
const rounds = Number(values.rounds ?? (quick ? 1 : 4));
const unknown = only.filter((name) => measures[name] === undefined);
if (unknown.length > 0)
  throw new Error(`There is no ${unknown.join()}; there are ${Object.keys(measures).join(', ')}.`);
if (!Number.isInteger(rounds) || rounds < 1) throw new Error('--rounds wants a whole number.');

process.stdout.write(`${describeMachine()} ${rounds} rounds${quick ? ', quick' : ''}.\n`);
const say = (progress: string) => process.stderr.write(`… ${progress}\n`);
// No one asks more than once in a minute or so: far from live chat's limit.
const rig = await openRig({ visitors: quick ? 250 : 1000 });
try {
  for (const name of only) {
    const table = await measures[name]?.({ quick, rounds, rig, say });
    // Goals are for the whole measure: with shorter replies a turn's own cost weighs more.
    if (table) process.stdout.write(printTable(quick ? { ...table, goals: [] } : table));
  }
} finally {
  await rig.close();
}
