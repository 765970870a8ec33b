import { spawn } from 'node:child_process';
import type { ServerResponse } from 'node:http';
import { isBlank } from '../../shared/messages.ts';
import { replies } from './answers.ts';
import { toAnswer } from './case-answer.ts';
import { startFakeBackend } from './fake-backend.ts';
import type { ReceivedRequest } from './received-request.ts';
import { finalReply, type RetryCase, retryCases } from './retry-cases.ts';

type ClientRun = { url: string; questions: readonly string[]; clockSpeed: number };

/**
 * Lets the client ask the questions one after another. An empty question means that the user asks the last one again. Resolves with
 * the client's result for each: `{ reply, complete }`.
 */
export type RunClient = (run: ClientRun) => Promise<readonly unknown[]>;

const [firstQuestion, ...nextQuestions] = ['Where do we stand?', 'And then?', 'Und in Zürich? 🏭'] as const;

/** A timer can fire up to a millisecond early. */
const toleranceMilliseconds = 2;

/** A client may need this much real time for a step, at any clock speed. */
const stepMilliseconds = 1000;

/** The time after which a client may give up a silent connection. The rule says two minutes. */
const silenceSeconds = { least: 100, most: 240 };

/**
 * Runs a client through a case. Resolves with the first difference from what the case expects, or with null. Rejects with
 * `UnusableClientError` if the client cannot be started.
 */
export async function checkCase(
  retryCase: RetryCase,
  runClient: RunClient,
  clockSpeed: number,
): Promise<string | null> {
  const { failures, waitsSeconds, reply, isComplete } = retryCase;
  const last = failures.at(-1);
  // After a 429 that ends the turn, a client may hold back the next question until the wait has ended.
  const isBlocked =
    waitsSeconds.at(-1) === null && last?.code === 'RATE_LIMITED' && last.retryAfterSeconds !== undefined;
  const repeats = waitsSeconds
    .slice(0, -1)
    .filter((seconds) => seconds === null)
    .map(() => '');
  const later = isBlocked ? [] : nextQuestions;
  const arrivals: number[] = [];
  const answerTimes: number[] = [];
  const silences: Silence[] = [];
  await using backend = await startFakeBackend({
    onRequest: () => arrivals.push(performance.now()),
    otherwise: replies(finalReply),
  });
  backend.answer(
    ...failures.map(({ answer }) => (response: ServerResponse) => {
      answerTimes.push(performance.now());
      // Connections are not reused, because some runtimes resend a request by themselves if it fails on a reused connection.
      // Responses that are cut are the exception: the fetch of Node 20 counts a broken response with `Connection: close` as
      // complete.
      response.shouldKeepAlive = answer?.isCut ?? false;
      if (answer?.silence) silences.push(watchSilence(response, clockSpeed));
      return toAnswer(answer, clockSpeed)(response);
    }),
  );
  const { url, requests } = backend;
  const questions = [firstQuestion, ...repeats, ...later];
  const printed = await runClient({ url, questions, clockSpeed }).catch((error: Error) => error);
  if (printed instanceof UnusableClientError) throw printed;
  if (printed instanceof Error) return printed.message;

  const attempts = failures.length + (waitsSeconds.at(-1) === null ? 0 : 1);
  const sent = (question: string) => requests.filter(({ body }) => lastText(body) === question);
  const first = sent(firstQuestion);
  if (first.length !== attempts) return `sent the first question ${times(first.length)} instead of ${times(attempts)}`;
  for (const [index, seconds] of waitsSeconds.entries()) {
    if (seconds === null) continue;
    const waited = (arrivals[index + 1] ?? 0) - (answerTimes[index] ?? 0);
    const difference = waitDifference(waited, { least: seconds, most: seconds * 2 }, clockSpeed);
    if (difference !== null) return `waited ${difference} instead of ${seconds} s before attempt ${index + 2}`;
  }
  for (const silence of silences) {
    const difference = waitDifference(silence.milliseconds(), silenceSeconds, clockSpeed);
    if (difference !== null) return `waited ${difference} instead of 120 s for the next byte`;
  }
  for (const question of later) {
    const { length } = sent(question);
    if (length !== 1) return `sent the question ${show(question)} ${times(length)} instead of once`;
  }
  const history = isBlank(reply) ? [] : [`user: ${firstQuestion}`, `assistant: ${reply}`];
  return (
    requestDifference(requests, first, failures, history) ??
    resultDifference(printed, [
      ...repeats.map(() => ({ reply: '', complete: false })),
      { reply, complete: isComplete },
      ...later.map(() => ({ reply: finalReply, complete: true })),
    ])
  );
}

type Silence = { milliseconds: () => number };

/** Breaks the connection if the client does not, so that a client without a limit ends. */
function watchSilence(response: ServerResponse, clockSpeed: number): Silence {
  const startedAt = performance.now();
  let closedAt: number | undefined;
  const timer = setTimeout(
    () => response.destroy(),
    (silenceSeconds.most * 1000) / clockSpeed + stepMilliseconds + toleranceMilliseconds,
  );
  response.on('close', () => {
    clearTimeout(timer);
    closedAt = performance.now();
  });
  return { milliseconds: () => (closedAt ?? performance.now()) - startedAt };
}

/** Returns the time on the client's clock if it is too short or too long, otherwise null. */
function waitDifference(
  milliseconds: number,
  { least, most }: { least: number; most: number },
  clockSpeed: number,
): string | null {
  const isTooShort = (milliseconds + toleranceMilliseconds) * clockSpeed < least * 1000;
  const isTooLong = (milliseconds - stepMilliseconds) * clockSpeed > most * 1000;
  return isTooShort || isTooLong ? `${((milliseconds * clockSpeed) / 1000).toFixed(1)} s` : null;
}

function requestDifference(
  requests: readonly ReceivedRequest[],
  first: readonly ReceivedRequest[],
  failures: RetryCase['failures'],
  history: readonly string[],
): string | null {
  let conversationId: string | undefined;
  let messages = [`user: ${firstQuestion}`];
  const turnIds = new Set<string>();
  for (const [index, request] of requests.entries()) {
    const which = `request ${index + 1}`;
    const isFirst = first.includes(request);
    if (!isFirst) {
      const question = nextQuestions[index - first.length];
      const earlier = index === first.length ? history : [...messages, `assistant: ${finalReply}`];
      messages = [...earlier, `user: ${question}`];
    }
    const received = textsOf(request.body);
    if (!isEqual(received, messages)) return `${which} has the messages ${show(received)} instead of ${show(messages)}`;
    const { requestId } = request;
    if (!requestId) return `${which} has no X-Request-Id`;
    if (!/^[\x20-\x7e]{1,128}$/.test(requestId))
      return `${which} has an X-Request-Id that is too long or not printable ASCII`;
    if (isFirst && index > 0 && !turnIds.has(requestId))
      return `${which} has a different X-Request-Id than the first attempt`;
    if (!isFirst && turnIds.has(requestId)) return `${which} has the X-Request-Id of an earlier turn`;
    turnIds.add(requestId);
    const sentId = fieldsOf(request.body).conversationId;
    if (sentId !== conversationId)
      return `${which} has the conversationId ${show(sentId)} instead of ${show(conversationId)}`;
    conversationId = failures[index]?.answer?.headers['X-Conversation-Id'] ?? conversationId;
  }
  return null;
}

type Result = { reply: string; complete: boolean };

function resultDifference(printed: readonly unknown[], expected: readonly Result[]): string | null {
  if (printed.length !== expected.length) return `printed ${printed.length} results instead of ${expected.length}`;
  for (const [index, result] of expected.entries()) {
    const { reply, complete } = fieldsOf(printed[index]);
    const isSame = reply === result.reply || (typeof reply === 'string' && isBlank(reply) && isBlank(result.reply));
    if (!isSame || complete !== result.complete) {
      return `turn ${index + 1} has the result ${show(printed[index])} instead of ${show(result)}`;
    }
  }
  return null;
}

function textsOf(body: unknown): string[] {
  const { messages } = fieldsOf(body);
  if (!Array.isArray(messages)) return [];
  return messages.map((message) => {
    const { role, content } = fieldsOf(message);
    return `${role}: ${Array.isArray(content) ? content.map((block) => fieldsOf(block).text).join('') : content}`;
  });
}

const lastText = (body: unknown) =>
  textsOf(body)
    .at(-1)
    ?.replace(/^user: /, '');
const fieldsOf = (value: unknown) =>
  (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>;
const isEqual = (some: readonly string[], others: readonly string[]) => show(some) === show(others);
const show = (value: unknown) => JSON.stringify(value) ?? 'none';
const times = (count: number) => (count === 1 ? 'once' : `${count} times`);

/** Returns how long a client may take for a case: the longest case with the longest waits, and half a minute to start. */
function maxRunMilliseconds(clockSpeed: number): number {
  const seconds = Math.max(
    ...retryCases.map(({ waitsSeconds }) => waitsSeconds.reduce<number>((sum, wait) => sum + (wait ?? 0), 0)),
  );
  return ((2 * seconds + silenceSeconds.most) * 1000) / clockSpeed + 30_000;
}

/** A client that cannot be started, which fails all cases. */
class UnusableClientError extends Error {}

/**
 * Wraps a command as a client. The command reads the questions from its standard input, one per line, and prints one JSON object
 * per turn; its environment variables hold the address and the clock speed. The client rejects with `UnusableClientError` if the
 * command cannot be started, and stops the command after `maxMillisecondsAt(clockSpeed)`.
 */
export function commandClient(
  [command = '', ...parameters]: readonly string[],
  maxMillisecondsAt: (clockSpeed: number) => number = maxRunMilliseconds,
): RunClient {
  return ({ url, questions, clockSpeed }) =>
    new Promise((resolve, reject) => {
      const environment = { ADVISORY_CHAT_URL: url, ADVISORY_CHAT_CLOCK_SPEED: String(clockSpeed) };
      const child = spawn(command, parameters, { env: { ...process.env, ...environment } });
      const maxMilliseconds = maxMillisecondsAt(clockSpeed);
      const timer = setTimeout(() => {
        child.kill('SIGKILL');
        // A process that the client has started can keep its output open.
        child.stdout.destroy();
        child.stderr.destroy();
        reject(new Error(`was stopped, because it had not ended after ${Math.round(maxMilliseconds / 1000)} s`));
      }, maxMilliseconds);
      let output = '';
      let errors = '';
      child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
      child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
      // The client may exit before it has read its questions.
      child.stdin.on('error', () => {});
      child.stdin.end(questions.map((question) => `${question}\n`).join(''));
      child.on('error', (cause: NodeJS.ErrnoException) => {
        clearTimeout(timer);
        reject(new UnusableClientError(`The command "${command}" cannot be started: ${cause.code}.`, { cause }));
      });
      child.on('close', (code, signal) => {
        clearTimeout(timer);
        if (code === 0) resolve(output.split('\n').filter(Boolean).map(parseLine));
        else reject(new Error(`exited with ${code ?? signal}: ${errors.trim().slice(-300)}`));
      });
    });
}

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return line;
  }
}
