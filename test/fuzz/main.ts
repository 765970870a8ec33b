import { randomInt } from 'node:crypto';
import process from 'node:process';
import { parseArgs } from 'node:util';
import fc from 'fast-check';
import { serve } from './app.ts';
import { complaints } from './oracle.ts';
import { pageComplaints } from './page.ts';
import { anyRecipe, type Recipe } from './page-texts.ts';
import { anyCase, type Case, caseBytes, isAnswerable, needsSignIn } from './requests.ts';
import { exchangeBytes } from './wire.ts';

/*
 * Gives hostile texts to the parsers of the page, and then sends hostile requests to the application, until the time is over or a
 * rule is broken. The case that broke it is made smaller in the time that is left, and printed with the command that repeats it.
 */

/** Who sent whole requests waits this long; whoever sent something else leaves soon. In milliseconds. */
const timeoutMilliseconds = { answerable: 20_000, other: 40 };

const { values } = parseArgs({
  options: {
    /** How long to go on. */
    seconds: { type: 'string', default: '600' },
    /** What the cases are made from: the same seed gives the same cases. */
    seed: { type: 'string', default: String(randomInt(2 ** 31)) },
    /** Only the parsers of the page, or only the requests. */
    part: { type: 'string' },
    /** Only the case that a failure named, with its seed and part. */
    path: { type: 'string' },
  },
});
const [seed, seconds, { path, part }] = [Number(values.seed), Number(values.seconds), values];
if (!Number.isInteger(seed) || !(seconds > 0))
  throw new Error('--seed takes a whole number, and --seconds a positive one.');
if (part !== undefined && part !== 'page' && part !== 'requests') throw new Error('--part takes "page" or "requests".');
if (path !== undefined && part === undefined) throw new Error('--path needs the --part that it belongs to.');

/** Which share of the time the parsers of the page get, unless they get all of it. */
const pageShare = 0.2;

const say = (line: string) => process.stdout.write(`${line}\n`);
const startedAt = performance.now();
const runOptions = {
  seed,
  ...(path === undefined ? { numRuns: Number.POSITIVE_INFINITY } : { numRuns: 1, path }),
};

function sayAgain(name: 'page' | 'requests', counterexamplePath: string | null): void {
  say(`Again: npm run fuzz -- --part ${name} --seed ${seed} --path ${counterexamplePath}`);
}

/** Returns whether the parsers of the page keep their rules. */
async function fuzzPage(): Promise<boolean> {
  const until = startedAt + seconds * 1_000 * (part === 'page' ? 1 : pageShare);
  const property = (recipe: Recipe) => {
    if (performance.now() > until) throw new fc.PreconditionFailure(true);
    const sentences = pageComplaints(recipe);
    if (sentences.length > 0) throw new Error(sentences.join('\n'));
  };
  const result = fc.check(fc.property(anyRecipe, property), runOptions);
  say(`${result.numRuns} texts.`);
  if (result.counterexample === null) return true;
  const [smallest] = result.counterexample;
  say(`A text fails: ${result.errorInstance}`);
  say(`The smallest such text, as words and the share of it that repeats them: ${JSON.stringify(smallest)}`);
  sayAgain('page', result.counterexamplePath);
  return false;
}

/** Returns whether the application keeps its rules. */
async function fuzzRequests(): Promise<boolean> {
  const until = startedAt + seconds * 1_000;
  const served = await serve();
  const port = Number(new URL(served.url).port);

  async function property(tried: Case): Promise<void> {
    if (performance.now() > until) throw new fc.PreconditionFailure(true);
    const meanings = await served.prepare(tried.mood, needsSignIn(tried) ? tried.signIn : null);
    const methods = tried.requests.map(({ method }) => method);
    const wait = timeoutMilliseconds[isAnswerable(tried) ? 'answerable' : 'other'];
    const exchanged = await exchangeBytes(port, caseBytes(tried, meanings), methods, wait);
    const sentences = complaints({ tried, exchanged, settled: await served.settle(), served });
    if (sentences.length > 0) throw new Error(sentences.join('\n'));
  }

  const result = await fc.check(fc.asyncProperty(anyCase, property), runOptions);
  say(`${result.numRuns} cases.`);
  await served.close();
  if (result.counterexample === null) return !result.failed;
  const [smallest] = result.counterexample;
  const packets = caseBytes(smallest, {});
  say(`A case fails: ${result.errorInstance}`);
  say(`The smallest such case, while the provider is in the mood "${smallest.mood}", in ${packets.length} packets:`);
  say(JSON.stringify(Buffer.concat(packets).toString('latin1').slice(0, 4_000)));
  sayAgain('requests', result.counterexamplePath);
  return false;
}

say(`Seed ${seed}, for ${seconds} seconds.`);
const hasPassed = (part === 'requests' || (await fuzzPage())) && (part === 'page' || (await fuzzRequests()));
process.stdout.write('', () => process.exit(hasPassed ? 0 : 1));
