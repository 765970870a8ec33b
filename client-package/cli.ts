import process from 'node:process';
import { parseArgs } from 'node:util';
import { replies, startFakeBackend } from './testing/fake-backend.ts';
import { retryCases, toAnswer } from './testing/retry-cases.ts';

const usage = `Usage: advisory-chat-client fake --case N [--port PORT]
       advisory-chat-client cases

fake   Serves case N of the retry table on 127.0.0.1, on a free port unless PORT is given: first the failures of the case in order, then
       the reply "Week 3." to every further request. Prints one JSON object per line: first { url, demoUrl, case }, then each request
       as it arrives: { method, path, mediaType, cookie, requestId, body, atMilliseconds }. Stops on SIGTERM or Ctrl-C.
cases  Prints all cases, one JSON object per line.
`;

// Exits if the reader of the output closes the pipe.
process.stdout.on('error', () => process.exit());

const print = (value: object) => process.stdout.write(`${JSON.stringify(value)}\n`);

try {
  await run();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
}

async function run(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { case: { type: 'string' }, port: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
  });
  const [command] = positionals;
  if (values.help) process.stdout.write(usage);
  else if (command === 'cases') for (const each of retryCases) print(each);
  else if (command === 'fake' && values.case !== undefined) await serve(values.case, values.port);
  else throw new Error(usage);
}

async function serve(number: string, port = '0'): Promise<void> {
  const retryCase = retryCases.find((each) => String(each.number) === number);
  if (retryCase === undefined) throw new Error(`Unknown case ${number}. Choose from 1 to ${retryCases.length}.`);
  const startedAt = performance.now();
  const backend = await startFakeBackend({
    port: Number(port),
    onRequest: (request) => print({ ...request, atMilliseconds: Math.round(performance.now() - startedAt) }),
    otherwise: replies('Week 3.'),
  });
  backend.answer(...retryCase.failures.map(({ answer }) => toAnswer(answer)));
  print({ url: backend.url, demoUrl: backend.demoUrl, case: retryCase });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void backend.close());
}
