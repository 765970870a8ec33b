import { availableParallelism } from 'node:os';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { replies } from './testing/answers.ts';
import { checkCase, commandClient } from './testing/client-check.ts';
import { startFakeBackend } from './testing/fake-backend.ts';
import { finalReply, type RetryCase, retryCases, toAnswer } from './testing/retry-cases.ts';

const usage = `Usage: advisory-chat-client check [--case N] [--speed N] [--tap] -- COMMAND...
       advisory-chat-client fake --case N [--port PORT]
       advisory-chat-client cases

check  Runs COMMAND once for each case, and prints whether it passes, with the first difference if it does not. Exits with 1 if a case
       fails. COMMAND gets the address in ADVISORY_CHAT_URL. It reads questions from its standard input, one per line, asks one after
       another, and prints a line of JSON for each: { "reply": "…", "complete": true }. An empty line asks the last question again. It
       divides its waits and its limit of two minutes without a byte by ADVISORY_CHAT_CLOCK_SPEED (20 unless --speed is given).
fake   Serves case N of the retry table on 127.0.0.1, on a free port unless PORT is given: first the failures of the case in order, then
       the reply "Week 3." to every further request. Prints one JSON object per line: first { url, demoUrl, case }, then each request
       as it arrives: { method, path, mediaType, cookie, requestId, body, atMilliseconds }. Stops on SIGTERM or Ctrl-C.
cases  Prints all cases, one JSON object per line.
`;

// Exits if the reader of the output closes the pipe.
process.stdout.on('error', () => process.exit());

const printLine = (line: string) => process.stdout.write(`${line}\n`);
const print = (value: object) => printLine(JSON.stringify(value));

try {
  await run();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
}

async function run(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      case: { type: 'string' },
      port: { type: 'string' },
      speed: { type: 'string', default: '20' },
      tap: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h' },
    },
  });
  const [command, ...client] = positionals;
  if (values.help) process.stdout.write(usage);
  else if (command === 'cases') for (const each of retryCases) print(each);
  else if (command === 'fake' && values.case !== undefined) await serve(findCase(values.case), values.port);
  else if (command === 'check' && client.length > 0) {
    const cases = values.case === undefined ? retryCases : [findCase(values.case)];
    await check(cases, { client, clockSpeed: Number(values.speed), isTap: values.tap });
  } else throw new Error(usage);
}

function findCase(number: string): RetryCase {
  const retryCase = retryCases.find((each) => String(each.number) === number);
  if (retryCase === undefined) throw new Error(`Unknown case ${number}. Choose from 1 to ${retryCases.length}.`);
  return retryCase;
}

type CheckOptions = { client: readonly string[]; clockSpeed: number; isTap: boolean };

/** Runs several cases at once, because most of their time is waits, and prints the results in order. */
async function check(cases: readonly RetryCase[], { client, clockSpeed, isTap }: CheckOptions): Promise<void> {
  const runClient = commandClient(client);
  const results: Promise<string | null>[] = [];
  const running = new Set<Promise<unknown>>();
  let failed = 0;
  if (isTap) printLine(`TAP version 14\n1..${cases.length}`);
  for (const each of cases) {
    if (running.size >= availableParallelism() * 2) await Promise.race(running);
    const result = checkCase(each, runClient, clockSpeed);
    results.push(result);
    running.add(result);
    void result.finally(() => running.delete(result));
  }
  for (const [index, { number, title }] of cases.entries()) {
    const difference = (await results[index]) ?? null;
    if (difference !== null) failed += 1;
    if (isTap) {
      printLine(`${difference === null ? 'ok' : 'not ok'} ${index + 1} - ${number} ${title.replaceAll('#', '\\#')}`);
      if (difference !== null) printLine(`  ---\n  message: ${JSON.stringify(difference)}\n  ...`);
    } else
      printLine(
        `${difference === null ? 'pass' : 'FAIL'} ${number} ${title}${difference === null ? '' : `: ${difference}`}`,
      );
  }
  if (!isTap) printLine(`${cases.length - failed} of ${cases.length} cases pass.`);
  if (failed > 0) process.exitCode = 1;
}

async function serve(retryCase: RetryCase, port = '0'): Promise<void> {
  const startedAt = performance.now();
  const backend = await startFakeBackend({
    port: Number(port),
    onRequest: (request) => print({ ...request, atMilliseconds: Math.round(performance.now() - startedAt) }),
    otherwise: replies(finalReply),
  });
  backend.answer(...retryCase.failures.map(({ answer }) => toAnswer(answer)));
  print({ url: backend.url, demoUrl: backend.demoUrl, case: retryCase });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void backend.close());
}
