import { spawn } from 'node:child_process';
import { isBlank } from '../../shared/messages.ts';
import { replies } from './answers.ts';
import { startFakeBackend } from './fake-backend.ts';
import type { ReceivedRequest } from './received-request.ts';
import { finalReply, type RetryCase, toAnswer } from './retry-cases.ts';

export type ClientRun = { url: string; questions: readonly string[]; clockSpeed: number };

/** Lets the client ask the questions one after another. Resolves with its result for each turn: `{ reply, complete }`. */
export type RunClient = (run: ClientRun) => Promise<readonly unknown[]>;

const [firstQuestion, nextQuestion] = ['Where do we stand?', 'And then?'];

/** Milliseconds. A timer can fire up to a millisecond early. */
const tolerance = 2;

/** Runs a client through a case. Resolves with the first difference from what the case expects, or with null. */
export async function checkCase(
  retryCase: RetryCase,
  runClient: RunClient,
  clockSpeed: number,
): Promise<string | null> {
  const { failures, waitsSeconds, reply, isComplete } = retryCase;
  // After a 429 that ends the turn, a client may hold back the next question.
  const isBlocked = waitsSeconds.at(-1) === null && failures.at(-1)?.code === 'RATE_LIMITED';
  const questions = isBlocked ? [firstQuestion] : [firstQuestion, nextQuestion];
  const arrivals: number[] = [];
  const answerTimes: number[] = [];
  await using backend = await startFakeBackend({
    onRequest: () => arrivals.push(performance.now()),
    otherwise: replies(finalReply),
  });
  backend.answer(
    ...failures.map(({ answer }) => (response: Parameters<ReturnType<typeof toAnswer>>[0]) => {
      answerTimes.push(performance.now());
      // Connections are not reused, because some runtimes resend a request by themselves if it fails on a reused connection.
      // Responses that are cut are the exception: the fetch of Node 20 counts a broken response with `Connection: close` as
      // complete.
      response.shouldKeepAlive = answer?.isCut ?? false;
      return toAnswer(answer)(response);
    }),
  );
  const { url, requests } = backend;
  const printed = await runClient({ url, questions, clockSpeed }).catch((error: Error) => error);
  if (printed instanceof Error) return printed.message;

  const attempts = 1 + waitsSeconds.filter((seconds) => seconds !== null).length;
  const first = requests.filter(({ body }) => lastText(body) === firstQuestion);
  const next = requests.filter(({ body }) => lastText(body) === nextQuestion);
  if (first.length !== attempts) return `sent the first question ${times(first.length)} instead of ${times(attempts)}`;
  for (const [index, seconds] of waitsSeconds.entries()) {
    if (seconds === null) continue;
    const waited = ((arrivals[index + 1] ?? 0) - (answerTimes[index] ?? 0) + tolerance) * clockSpeed;
    if (waited < seconds * 1000) {
      return `waited ${(waited / 1000).toFixed(1)} s instead of ${seconds} s before attempt ${index + 2}`;
    }
  }
  if (next.length !== questions.length - 1) {
    return `sent the next question ${times(next.length)} instead of ${times(questions.length - 1)}`;
  }
  const history = isBlank(reply) ? [] : [`user: ${firstQuestion}`, `assistant: ${reply}`];
  return (
    differentRequest(requests, first, next, failures, history) ??
    differentResults(printed, [
      { reply, complete: isComplete },
      ...questions.slice(1).map(() => ({ reply: finalReply, complete: true })),
    ])
  );
}

function differentRequest(
  requests: readonly ReceivedRequest[],
  first: readonly ReceivedRequest[],
  next: readonly ReceivedRequest[],
  failures: RetryCase['failures'],
  history: readonly string[],
): string | null {
  let conversationId: string | undefined;
  for (const [index, request] of requests.entries()) {
    const which = `request ${index + 1}`;
    const isFirst = first.includes(request);
    const expected = isFirst ? [`user: ${firstQuestion}`] : [...history, `user: ${nextQuestion}`];
    const messages = textsOf(request.body);
    if (!isEqual(messages, expected)) return `${which} has the messages ${show(messages)} instead of ${show(expected)}`;
    if (!request.requestId) return `${which} has no X-Request-Id`;
    if (isFirst && request.requestId !== first[0]?.requestId)
      return `${which} has a different X-Request-Id than the first attempt`;
    if (next.includes(request) && request.requestId === first[0]?.requestId)
      return `${which} has the X-Request-Id of the previous turn`;
    const sentId = fieldsOf(request.body).conversationId;
    if (sentId !== conversationId)
      return `${which} has the conversationId ${show(sentId)} instead of ${show(conversationId)}`;
    conversationId = failures[index]?.answer?.headers['X-Conversation-Id'] ?? conversationId;
  }
  return null;
}

type Result = { reply: string; complete: boolean };

function differentResults(printed: readonly unknown[], expected: readonly Result[]): string | null {
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

/** Longer than any case takes at clock speed 1. */
const maxMilliseconds = 180_000;

/**
 * Wraps a command as a client. The command reads the questions from its standard input, one per line, and prints one JSON object
 * per turn. Its environment has the address and the clock speed.
 */
export function commandClient([command = '', ...parameters]: readonly string[]): RunClient {
  return ({ url, questions, clockSpeed }) =>
    new Promise((resolve, reject) => {
      const environment = { ADVISORY_CHAT_URL: url, ADVISORY_CHAT_CLOCK_SPEED: String(clockSpeed) };
      const child = spawn(command, parameters, { env: { ...process.env, ...environment }, timeout: maxMilliseconds });
      let output = '';
      let errors = '';
      child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
      child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
      // The client may exit before it has read its questions.
      child.stdin.on('error', () => {});
      child.stdin.end(questions.map((question) => `${question}\n`).join(''));
      child.on('error', reject);
      child.on('close', (code, signal) => {
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
