import { randomInt } from 'node:crypto';
import process from 'node:process';
import { parseArgs } from 'node:util';
import fc from 'fast-check';
import { serve } from './app.ts';
import { complaints } from './oracle.ts';
import { anyCase, type Case, caseBytes, isAnswerable, needsSignIn } from './requests.ts';
import { tokens } from './texts.ts';
import { exchangeBytes } from './wire.ts';

/*
 * Sends hostile requests to the application until the time is over or a rule is broken. The case that broke it is made as small
 * as it can be, and printed with what to type to see it again.
 */

const casesOfBatch = 200;
const shrinkingMilliseconds = 120_000;
const maxPrinted = 2_000;
/** Who sent whole requests waits this long; whoever sent something else leaves soon. In milliseconds. */
const patienceMilliseconds = { answerable: 20_000, other: 40 };

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
const seed = Number(values.seed);
const seconds = Number(values.seconds);
if (!Number.isInteger(seed) || !(seconds > 0))
  throw new Error('--seed takes a whole number, and --seconds a positive one.');

const say = (line: string) => process.stdout.write(`${line}\n`);
say(`Seed ${seed}, for ${seconds} seconds.`);
const served = await serve();
const port = Number(new URL(served.url).port);
let until = performance.now() + seconds * 1_000;
let cases = 0;
let found: string[] = [];

async function complaintsOf(tried: Case): Promise<string[]> {
  const meanings = await served.prepare(tried.mood, needsSignIn(tried) ? tried.signIn : null);
  const exchanged = await exchangeBytes({
    port,
    pieces: caseBytes(tried, meanings),
    methods: tried.requests.map(({ method }) => method),
    patienceMilliseconds: isAnswerable(tried) ? patienceMilliseconds.answerable : patienceMilliseconds.other,
  });
  return complaints({ tried, exchanged, settled: await served.settle(), served });
}

async function property(tried: Case): Promise<void> {
  if (performance.now() > until) return;
  cases += 1;
  const sentences = await complaintsOf(tried);
  if (sentences.length === 0) return;
  if (found.length === 0) {
    until = performance.now() + shrinkingMilliseconds;
    say(`Case ${cases} fails, and is made smaller:\n${sentences.join('\n')}`);
  }
  found = sentences;
  throw new Error(sentences.join('\n'));
}

for (let batch = 0; performance.now() < until && found.length === 0; batch += 1) {
  const details = await fc.check(fc.asyncProperty(anyCase, property), {
    seed: seed + batch,
    ...(values.path === undefined ? { numRuns: casesOfBatch } : { numRuns: 1, path: values.path }),
  });
  if (details.counterexample !== null) {
    const [smallest] = details.counterexample;
    if (found.length === 0) found = [String(details.errorInstance)];
    for (const line of described(smallest, `--seed ${seed + batch} --path ${details.counterexamplePath}`)) say(line);
  } else if (values.path === undefined) say(`${cases} cases, seed ${seed + batch}: all well.`);
  if (values.path !== undefined) break;
}
if (found.length === 0) say(`${cases} cases, and none fails.`);
await served.close();
process.stdout.write('', () => process.exit(found.length === 0 ? 0 : 1));

/** What a person needs to understand a failure and to see it again. */
function described(smallest: Case, options: string): string[] {
  const pieces = caseBytes(smallest, tokens);
  const sent = Buffer.concat(pieces).toString('latin1');
  return [
    'A case fails:',
    ...found.map((complaint) => `- ${complaint}`),
    `The smallest such case, while the provider is in the mood "${smallest.mood}":`,
    ...smallest.requests.map((request) => cut(JSON.stringify(request))),
    `${sent.length} bytes in ${pieces.length} packets: ${cut(JSON.stringify(sent))}`,
    `Again: npm run fuzz -- ${options}`,
  ];
}

function cut(text: string): string {
  return text.length > maxPrinted ? `${text.slice(0, maxPrinted)}…` : text;
}
