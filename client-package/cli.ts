import { availableParallelism } from 'node:os';
import process from 'node:process';
import { type ParseArgsConfig, parseArgs } from 'node:util';
import { replies } from './testing/answers.ts';
import { toAnswer } from './testing/case-answer.ts';
import { checkCase, commandClient } from './testing/client-check.ts';
import { startFakeBackend } from './testing/fake-backend.ts';
import { finalReply, type RetryCase, retryCases } from './testing/retry-cases.ts';

const usage = `Usage: advisory-chat-client check [--case N] [--speed N] [--tap] -- COMMAND...
       advisory-chat-client fake --case N [--port PORT]
       advisory-chat-client cases

check  Runs COMMAND once for each case, and prints whether it passes, with the first difference if it does not. Exits with 1 if a case
       fails. COMMAND gets the address in ADVISORY_CHAT_URL. It reads questions from its standard input, one per line, asks one after
       another, and prints a line of JSON for each: { "reply": "…", "complete": true }. An empty line asks the last question again. It
       divides its waits and its limit of two minutes without a byte by ADVISORY_CHAT_CLOCK_SPEED (20 unless --speed is given, a number
       from 1 to 100). A command that hangs is stopped.
fake   Serves case N of the retry table on 127.0.0.1, on a free port unless PORT is given: first the failures of the case in order, then
       the reply "Week 3." to every further request. Prints one JSON object per line: first { url, demoUrl, case }, then each request
       as it arrives: { method, path, mediaType, cookie, requestId, body, atMilliseconds }. Stops on SIGTERM or Ctrl-C.
cases  Prints all cases, one JSON object per line.
`;

type Options = NonNullable<ParseArgsConfig['options']>;

const optionsOf: Readonly<Record<string, Options>> = {
  check: { case: { type: 'string' }, speed: { type: 'string' }, tap: { type: 'boolean' } },
  fake: { case: { type: 'string' }, port: { type: 'string' } },
  cases: {},
};

// Exits if the reader of the output closes the pipe.
process.stdout.on('error', () => process.exit());

const printLine = (line: string) => process.stdout.write(`${line}\n`);
const print = (value: object) => printLine(JSON.stringify(value));

try {
  await run(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
}

async function run([command = '', ...args]: readonly string[]): Promise<void> {
  if ([command, args[0]].some((arg) => arg === '--help' || arg === '-h')) {
    process.stdout.write(usage);
    return;
  }
  const options = Object.hasOwn(optionsOf, command) ? optionsOf[command] : undefined;
  if (options === undefined) throw new Error(usage);
  const { values, positionals: client } = parseArgs({ args, options, allowPositionals: command === 'check' });
  const number = (name: string, range: Range) => parseNumber(`--${name}`, values[name], range);
  // Faster than a hundredfold, a client that does not wait would be within the tolerance of the shortest wait.
  const clockSpeed = number('speed', { least: 1, most: 100 }) ?? 20;
  const port = number('port', { least: 0, most: 65_535, isInteger: true });
  const caseNumber = number('case', { least: 1, most: retryCases.length, isInteger: true });
  const chosen = caseNumber === undefined ? retryCases : retryCases.filter((each) => each.number === caseNumber);
  const [firstCase] = chosen;
  if (command === 'cases') for (const each of retryCases) print(each);
  else if (command === 'fake' && caseNumber !== undefined && firstCase !== undefined) await serve(firstCase, port);
  else if (command === 'check' && client.length > 0)
    await check(chosen, { client, clockSpeed, isTap: values.tap === true });
  else throw new Error(usage);
}

type Range = { least: number; most: number; isInteger?: true };

/** Throws an error that names the option and its range. */
function parseNumber(option: string, value: unknown, { least, most, isInteger }: Range): number | undefined {
  if (value === undefined) return undefined;
  const number = /^\d+(\.\d+)?$/.test(String(value)) ? Number(value) : Number.NaN;
  if (number >= least && number <= most && (!isInteger || Number.isInteger(number))) return number;
  throw new Error(
    `${option} must be ${isInteger ? 'an integer' : 'a number'} from ${least} to ${most}, not "${value}".`,
  );
}

type CheckOptions = { client: readonly string[]; clockSpeed: number; isTap: boolean };

/** Runs several cases at once, because most of their time is waits. Prints each result once those before it are printed. */
async function check(cases: readonly RetryCase[], { client, clockSpeed, isTap }: CheckOptions): Promise<void> {
  const runClient = commandClient(client);
  const running = new Set<Promise<unknown>>();
  let printed: Promise<unknown> = Promise.resolve();
  let failed = 0;

  function printResult(index: number, { number, title }: RetryCase, difference: string | null): void {
    if (difference !== null) failed += 1;
    if (isTap) {
      printLine(`${difference === null ? 'ok' : 'not ok'} ${index + 1} - ${number} ${title.replaceAll('#', '\\#')}`);
      if (difference !== null) printLine(`  ---\n  message: ${JSON.stringify(difference)}\n  ...`);
    } else {
      printLine(difference === null ? `pass ${number} ${title}` : `FAIL ${number} ${title}: ${difference}`);
    }
  }

  if (isTap) printLine(`TAP version 14\n1..${cases.length}`);
  for (const [index, each] of cases.entries()) {
    if (running.size >= availableParallelism() * 2) await Promise.race(running);
    const result = checkCase(each, runClient, clockSpeed);
    const ended: Promise<unknown> = result.then(() => running.delete(ended));
    running.add(ended);
    printed = Promise.all([result, printed]).then(([difference]) => printResult(index, each, difference));
    // All results of a client that cannot be started reject. One rejection is reported below.
    for (const promise of [ended, printed]) promise.catch(() => {});
  }
  await printed;
  if (!isTap) printLine(`${cases.length - failed} of ${cases.length} cases pass.`);
  if (failed > 0) process.exitCode = 1;
}

async function serve(retryCase: RetryCase, port: number | undefined): Promise<void> {
  const startedAt = performance.now();
  const backend = await startFakeBackend({
    port,
    onRequest: (request) => print({ ...request, atMilliseconds: Math.round(performance.now() - startedAt) }),
    otherwise: replies(finalReply),
  });
  backend.answer(...retryCase.failures.map(({ answer }) => toAnswer(answer)));
  print({ url: backend.url, demoUrl: backend.demoUrl, case: retryCase });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void backend.close());
}
