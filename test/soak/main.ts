import process from 'node:process';
import { audit } from './audit/audit.ts';
import { readOptions } from './options.ts';
import { report } from './report.ts';
import { soak } from './soak.ts';

/*
 * People chat with the product by the thousand while its parts are taken away from it; then every turn is accounted for.
 * `npm run soak -- --turns 150` is a short one. It needs PostgreSQL and Redis on the machine, and exits with 1 where
 * anything is missing, doubled, misplaced or left behind.
 */

/** Nobody has to end a run: one that takes longer has failed. */
const longestMinutes = 40;

const options = readOptions(process.argv.slice(2));
const stop = new AbortController();
const timer = setTimeout(
  () => stop.abort(new Error(`It took more than ${longestMinutes} minutes.`)),
  longestMinutes * 60_000,
);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort(new Error(signal)));

const say = (line: string) => void process.stdout.write(`${line}\n`);
say(`${options.turns} turns by ${options.users} people under ${options.faults} faults, seed ${options.seed}`);

try {
  const records = await soak(options, say, stop.signal);
  const violations = audit(records);
  for (const line of ['', ...report(records, violations)]) say(line);
  process.exitCode = violations.length === 0 ? 0 : 1;
} catch (error) {
  say(error instanceof Error ? `${error.stack}\n${error.cause ?? ''}` : String(error));
  process.exitCode = 1;
}
clearTimeout(timer);
// Countdowns of people who were asked to wait for an hour are still running.
process.stdout.write('', () => process.exit());
