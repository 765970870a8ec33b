import { randomInt } from 'node:crypto';
import process from 'node:process';
import { parseArgs } from 'node:util';
import fc from 'fast-check';
import { startApp } from './app.ts';
import { findViolations } from './oracle.ts';
import { pageViolations } from './page.ts';
import { anyRecipe, type Recipe } from './page-texts.ts';
import { anyCase, type Case, caseBytes, isAnswerable, refersToSignIn } from './requests.ts';
import { exchangeBytes } from './wire.ts';

/*
 * Passes hostile texts to the page's parsers and then sends hostile requests to the application, until the time has elapsed or
 * a rule is violated. The failing case is shrunk in the remaining time and printed with the command that repeats it.
 */

/** How long to wait for responses. Anything but complete requests may have none, so the client disconnects soon. */
const timeoutMilliseconds = { answerable: 20_000, other: 40 };

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '600' },
    /** The same seed generates the same cases. */
    seed: { type: 'string', default: String(randomInt(2 ** 31)) },
    /** "page" runs only the page's parsers, "requests" only the requests. */
    part: { type: 'string' },
    /** Repeats only the case of a reported failure, together with its seed and part. */
    path: { type: 'string' },
  },
});
const [seed, seconds, { path, part }] = [Number(values.seed), Number(values.seconds), values];
if (!Number.isInteger(seed) || !(seconds > 0))
  throw new Error('--seed must be an integer, and --seconds a positive number.');
if (part !== undefined && part !== 'page' && part !== 'requests')
  throw new Error('--part must be "page" or "requests".');
if (path !== undefined && part === undefined) throw new Error('--path requires --part.');

/** The share of the time for the page's parsers, if both parts run. */
const pageShare = 0.2;

const print = (line: string) => process.stdout.write(`${line}\n`);
const startedAt = performance.now();
const runOptions = {
  seed,
  ...(path === undefined ? { numRuns: Number.POSITIVE_INFINITY } : { numRuns: 1, path }),
};

function printRepeatCommand(name: 'page' | 'requests', counterexamplePath: string | null): void {
  print(`Repeat with: npm run fuzz -- --part ${name} --seed ${seed} --path ${counterexamplePath}`);
}

/** Resolves with false if a text violates a rule. */
async function fuzzPage(): Promise<boolean> {
  const deadline = startedAt + seconds * 1_000 * (part === 'page' ? 1 : pageShare);
  const property = (recipe: Recipe) => {
    if (performance.now() > deadline) throw new fc.PreconditionFailure(true);
    const violations = pageViolations(recipe);
    if (violations.length > 0) throw new Error(violations.join('\n'));
  };
  const result = fc.check(fc.property(anyRecipe, property), runOptions);
  print(`${result.numRuns} texts.`);
  if (result.counterexample === null) return true;
  const [smallest] = result.counterexample;
  print(`Failed for a generated text: ${result.errorInstance}`);
  print(`Smallest failing text, as parts and their shares of the text: ${JSON.stringify(smallest)}`);
  printRepeatCommand('page', result.counterexamplePath);
  return false;
}

/** Resolves with false if a case violates a rule. */
async function fuzzRequests(): Promise<boolean> {
  const deadline = startedAt + seconds * 1_000;
  const app = await startApp();
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
  if (result.counterexample === null) return !result.failed;
  const [smallest] = result.counterexample;
  const packets = caseBytes(smallest, {});
  print(`A case fails: ${result.errorInstance}`);
  print(`The smallest failing case, in ${packets.length} packets, while the provider ${smallest.behavior}:`);
  print(JSON.stringify(Buffer.concat(packets).toString('latin1').slice(0, 4_000)));
  printRepeatCommand('requests', result.counterexamplePath);
  return false;
}

print(`Seed ${seed}, for ${seconds} seconds.`);
const hasPassed = (part === 'requests' || (await fuzzPage())) && (part === 'page' || (await fuzzRequests()));
process.stdout.write('', () => process.exit(hasPassed ? 0 : 1));
