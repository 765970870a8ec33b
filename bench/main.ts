import process from 'node:process';
import { parseArgs } from 'node:util';
import { measures } from './measures.ts';
import { describeMachine } from './report.ts';
import { contenderNames, openRig } from './rig.ts';

/*
 * Compares the product with its alternatives and prints the results as Markdown. docs/performance.md explains the
 * method and the tables.
 */

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: Object.keys(measures).join() },
    contenders: { type: 'string', default: contenderNames.join() },
    rounds: { type: 'string', default: '4' },
  },
});
const only = selected('measure', values.only, Object.keys(measures));
const contenders = selected('contender', values.contenders, contenderNames);
const rounds = Number(values.rounds);
if (!(Number.isInteger(rounds) && rounds > 0)) throw new Error('--rounds must be a positive integer.');

process.stdout.write(`${describeMachine()} ${rounds} rounds.\n`);
const logProgress = (progress: string) => process.stderr.write(`… ${progress}\n`);
// Creates 1,000 users, so that none reaches the rate limit of live chat.
const rig = await openRig({ users: 1000 });
try {
  for (const name of only) {
    process.stdout.write((await measures[name]?.({ rounds, contenders, rig, logProgress })) ?? '');
  }
} finally {
  await rig.close();
}

function selected<Name extends string>(kind: string, list: string, known: readonly Name[]): Name[] {
  const names = list.split(',');
  const unknown = names.filter((name) => !known.some((each) => each === name));
  if (unknown.length > 0) throw new Error(`Unknown ${kind}: ${unknown.join()}. Choose from ${known.join(', ')}.`);
  return known.filter((name) => names.includes(name));
}
