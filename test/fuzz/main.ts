import { randomInt } from 'node:crypto';
import process from 'node:process';
import { parseArgs } from 'node:util';
import fc from 'fast-check';
import { serve } from './app.ts';
import { complaints } from './oracle.ts';
import { anyCase, type Case, caseBytes, isAnswerable, needsSignIn } from './requests.ts';
import { exchangeBytes } from './wire.ts';

/*
 * Sends hostile requests to the application until the time is over or a rule is broken. The case that broke it is made
 * smaller in the time that is left, and printed with what to type to see it again.
 */

/** Who sent whole requests waits this long; whoever sent something else leaves soon. In milliseconds. */
const timeoutMilliseconds = { answerable: 20_000, other: 40 };

const { values } = parseArgs({
  options: {
    /** How long to go on. */
    seconds: { type: 'string', default: '600' },
    /** What the cases are made from: the same seed gives the same cases. */
    seed: { type: 'string', default: String(randomInt(2 ** 31)) },
    /** Only the case that a failure named, with its seed. */
    path: { type: 'string' },
  },
});
const [seed, seconds, { path }] = [Number(values.seed), Number(values.seconds), values];
if (!Number.isInteger(seed) || !(seconds > 0))
  throw new Error('--seed takes a whole number, and --seconds a positive one.');

const say = (line: string) => process.stdout.write(`${line}\n`);
const served = await serve();
const port = Number(new URL(served.url).port);
const until = performance.now() + seconds * 1_000;

async function property(tried: Case): Promise<void> {
  if (performance.now() > until) throw new fc.PreconditionFailure(true);
  const meanings = await served.prepare(tried.mood, needsSignIn(tried) ? tried.signIn : null);
  const methods = tried.requests.map(({ method }) => method);
  const wait = timeoutMilliseconds[isAnswerable(tried) ? 'answerable' : 'other'];
  const exchanged = await exchangeBytes(port, caseBytes(tried, meanings), methods, wait);
  const sentences = complaints({ tried, exchanged, settled: await served.settle(), served });
  if (sentences.length > 0) throw new Error(sentences.join('\n'));
}

say(`Seed ${seed}, for ${seconds} seconds.`);
const result = await fc.check(fc.asyncProperty(anyCase, property), {
  seed,
  ...(path === undefined ? { numRuns: Number.POSITIVE_INFINITY } : { numRuns: 1, path }),
});
say(`${result.numRuns} cases.`);
if (result.counterexample !== null) {
  const [smallest] = result.counterexample;
  const packets = caseBytes(smallest, {});
  say(`A case fails: ${result.errorInstance}`);
  say(`The smallest such case, while the provider is in the mood "${smallest.mood}", in ${packets.length} packets:`);
  say(JSON.stringify(Buffer.concat(packets).toString('latin1').slice(0, 4_000)));
  say(`Again: npm run fuzz -- --seed ${seed} --path ${result.counterexamplePath}`);
}
await served.close();
process.stdout.write('', () => process.exit(result.failed ? 1 : 0));
