import process from 'node:process';
import { parseArgs } from 'node:util';
import { measures } from './measures.ts';
import { describeMachine } from './report.ts';
import { openRig } from './rig.ts';

/*
 * Compares the product with its alternatives and prints the results as Markdown. docs/performance.md explains the
 * method and the tables.
 */

const { values } = parseArgs({
  options: {
    /** Names of measures, separated by commas. */
    only: { type: 'string', default: Object.keys(measures).join() },
    rounds: { type: 'string', default: '4' },
  },
});
const only = values.only.split(',');
const rounds = Number(values.rounds);
const unknown = only.filter((name) => measures[name] === undefined);
if (unknown.length > 0)
  throw new Error(`Unknown measure: ${unknown.join()}. Choose from ${Object.keys(measures).join(', ')}.`);

process.stdout.write(`${describeMachine()} ${rounds} rounds.\n`);
const logProgress = (progress: string) => process.stderr.write(`… ${progress}\n`);
// Creates 1,000 users, so that each sends about one turn a minute, far below the rate limit of live chat.
const rig = await openRig({ users: 1000 });
try {
  for (const name of only) {
    process.stdout.write((await measures[name]?.({ rounds, rig, logProgress })) ?? '');
  }
} finally {
  await rig.close();
}
