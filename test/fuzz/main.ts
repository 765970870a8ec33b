import { randomInt } from 'node:crypto';
import process from 'node:process';
import { parseArgs } from 'node:util';
import fc from 'fast-check';
import { startApp } from './app.ts';
import { anyGrowingText, grownExamples, growthViolations } from './growing-texts.ts';
import { findViolations } from './oracle.ts';
import { pageViolations, repeatedUnitViolations } from './page.ts';
import { anyRecipe } from './page-texts.ts';
import { anyCase, type Case, caseBytes, isAnswerable, refersToSignIn } from './requests.ts';
import { exchangeBytes } from './wire.ts';

/*
 * Passes hostile texts to the page's parsers, lets replies grow, and then sends hostile requests to the application, until the number
 * of cases or the time is reached, or a rule is violated. A generated case that fails is shrunk and printed with the command that repeats it.
 */

/** How long to wait for responses. Cases that are not answerable may have none, so the client disconnects soon. */
const timeoutMilliseconds = { answerable: 20_000, other: 40 };

const { values } = parseArgs({
  options: {
    /** The number of cases of each part. The run fails if the time elapses first. Without it, only the time is a limit. */
    cases: { type: 'string' },
    seconds: { type: 'string', default: '600' },
    /** The same seed generates the same cases. */
    seed: { type: 'string', default: String(randomInt(2 ** 31)) },
    /** "page" runs only the page's parsers, "growth" only growing replies, "requests" only the requests. */
    part: { type: 'string' },
    /** Repeats only the case of a reported failure, together with its seed and part. */
    path: { type: 'string' },
  },
});
const [seed, seconds, { path, part }] = [Number(values.seed), Number(values.seconds), values];
if (!Number.isInteger(seed) || !(seconds > 0))
  throw new Error('--seed must be an integer, and --seconds a positive number.');
const cases = values.cases === undefined ? undefined : Number(values.cases);
if (cases !== undefined && !(Number.isInteger(cases) && cases > 0))
  throw new Error('--cases must be a positive integer.');
if (part !== undefined && part !== 'page' && part !== 'growth' && part !== 'requests')
  throw new Error('--part must be "page", "growth" or "requests".');
if (path !== undefined && part === undefined) throw new Error('--path requires --part.');

/** When a part that processes texts ends, as a share of the time, if all parts run. */
const endShares = { page: 0.15, growth: 0.3 };

const print = (line: string) => process.stdout.write(`${line}\n`);
const fixedViolations = [
  ...(runs('page') && path === undefined ? repeatedUnitViolations() : []),
  ...(runs('growth') && path === undefined ? grownExamples.flatMap(growthViolations) : []),
];
for (const violation of fixedViolations) print(violation);
const startedAt = performance.now();
const runOptions = {
  seed,
  ...(path === undefined ? { numRuns: cases ?? Number.POSITIVE_INFINITY } : { numRuns: 1, path }),
};

/** A part that ran fewer cases has failed. */
const minRuns = path === undefined ? (cases ?? 1) : 1;

type Part = 'page' | 'growth' | 'requests';

function runs(name: Part): boolean {
  return part === undefined || part === name;
}

function printRepeatCommand(name: Part, counterexamplePath: string | null): void {
  print(`Repeat with: npm run fuzz -- --part ${name} --seed ${seed} --path ${counterexamplePath}`);
}

/** Returns false, and prints the reason, if the time has elapsed before enough cases. */
function hasRunEnough(count: number, kind: 'texts' | 'cases'): boolean {
  if (count < minRuns) print(`Failed: the time elapsed after ${count} of at least ${minRuns} ${kind}.`);
  return count >= minRuns;
}

/** Returns false if a text violates a rule, or if there was no time for enough texts. */
function fuzzTexts<Generated>(
  name: 'page' | 'growth',
  texts: fc.Arbitrary<Generated>,
  violationsOf: (generated: Generated) => string[],
): boolean {
  const deadline = startedAt + seconds * 1_000 * (part === name ? 1 : endShares[name]);
  const property = (generated: Generated) => {
    if (performance.now() > deadline) throw new fc.PreconditionFailure(true);
    const violations = violationsOf(generated);
    if (violations.length > 0) throw new Error(violations.join('\n'));
  };
  const result = fc.check(fc.property(texts, property), runOptions);
  print(`${result.numRuns} texts.`);
  if (result.counterexample === null) return hasRunEnough(result.numRuns, 'texts');
  const [smallest] = result.counterexample;
  print(`Failed for a generated text: ${result.errorInstance}`);
  print(`Smallest failing text, in parts: ${JSON.stringify(smallest)}`);
  printRepeatCommand(name, result.counterexamplePath);
  return false;
}

/** Resolves with false if a case violates a rule, or if there was no time for enough cases. */
async function fuzzRequests(): Promise<boolean> {
  const deadline = startedAt + seconds * 1_000;
  const app = await startApp();
  print(`The application has started after ${Math.round((performance.now() - startedAt) / 1_000)} seconds.`);
  const port = Number(new URL(app.url).port);

  async function property(testCase: Case): Promise<void> {
    if (performance.now() > deadline) throw new fc.PreconditionFailure(true);
    const tokenValues = await app.prepare(testCase.behavior, refersToSignIn(testCase) ? testCase.signIn : null);
    const methods = testCase.requests.map(({ method }) => method);
    const wait = timeoutMilliseconds[isAnswerable(testCase) ? 'answerable' : 'other'];
    const exchanged = await exchangeBytes(port, caseBytes(testCase, tokenValues), methods, wait);
    const violations = findViolations({ testCase, exchanged, aftermath: await app.inspect(), app });
    if (violations.length > 0) throw new Error(violations.join('\n'));
  }

  const result = await fc.check(fc.asyncProperty(anyCase, property), runOptions);
  print(`${result.numRuns} cases.`);
  await app.close();
  if (result.counterexample === null) return hasRunEnough(result.numRuns, 'cases');
  const [smallest] = result.counterexample;
  const packets = caseBytes(smallest, {});
  print(`A case fails: ${result.errorInstance}`);
  print(`The smallest failing case, in ${packets.length} packets, while the provider ${smallest.behavior}:`);
  print(JSON.stringify(Buffer.concat(packets).toString('latin1').slice(0, 4_000)));
  printRepeatCommand('requests', result.counterexamplePath);
  return false;
}

async function fuzz(): Promise<boolean> {
  return (
    fixedViolations.length === 0 &&
    (!runs('page') || fuzzTexts('page', anyRecipe, pageViolations)) &&
    (!runs('growth') || fuzzTexts('growth', anyGrowingText, growthViolations)) &&
    (!runs('requests') || (await fuzzRequests()))
  );
}

print(`Seed ${seed}, for ${cases === undefined ? '' : `${cases} cases of each part and at most `}${seconds} seconds.`);
const hasPassed = await fuzz().catch((error: Error) => {
  // Uncaught, it would reach the listener of `startApp`, which only collects errors.
  print(`Failed: ${error.stack}`);
  return false;
});
process.stdout.write('', () => process.exit(hasPassed ? 0 : 1));
