import { setTimeout as delay } from 'node:timers/promises';
import type { ProviderAnswer, ProviderStep } from '../../server/embedded/provider-answer.ts';
import { createProviderServer } from '../../server/embedded/provider-server.ts';
import { sessionSecret } from '../support/people.ts';
import { serveInProcess } from '../support/served-process.ts';
import { steadyPort } from '../support/steady-port.ts';
import { type Fate, planReply, planTurn, replyMark, turnAsked } from './plan.ts';

/** Milliseconds since 1970 on a clock that is never set back, and that can be compared with the database's. */
export const now = () => performance.timeOrigin + performance.now();

export const modelName = 'claude-soak';
/** What the product calls a loss. */
const losses = /this row is lost|an error that nobody caught|stopping failed/;
const contents = /\[(?:question|reply) \d/;

type Sent = { system: unknown; messages: { content: unknown }[]; max_tokens: number };

/** One request that reached the provider, and what it was answered. `attempt` counts a turn's requests from 1. */
export type ProviderReply = ReturnType<typeof replyTo>;

function replyTo({ system, messages, max_tokens: maxTokens }: Sent, attemptOf: (turn: number) => number, seed: number) {
  const content = messages.at(-1)?.content;
  const text = Array.isArray(content)
    ? content.map((block: { text?: string }) => block.text ?? '').join('\n\n')
    : content;
  const turn = turnAsked(String(text));
  const attempt = attemptOf(turn);
  return {
    turn,
    attempt,
    ...planReply(seed, turn, attempt),
    arrivedAt: now(),
    endedAt: null as number | null,
    /** the text deltas that were sent, joined */
    text: '',
    whole: false,
    inputTokens: 0,
    maxTokens,
    /** the organizations and persons that the system prompt names, and the turns that the messages hold */
    marks: found(system, /\[(?:organization|person) \d+\]/g),
    turnsNamed: found(messages, /(?<=\[(?:question|reply) )\d+/g).map(Number),
  };
}

const found = (value: unknown, pattern: RegExp) => [...new Set(JSON.stringify(value).match(pattern))];

/** The model provider: it answers each request as the plan of its turn says, and notes what it was asked and what it sent. */
export async function startProvider(seed: number) {
  const replies: ProviderReply[] = [];
  const attempts = new Map<number, number>();
  let trouble: Fate | null = null;

  function attemptOf(turn: number): number {
    const attempt = (attempts.get(turn) ?? 0) + 1;
    attempts.set(turn, attempt);
    return attempt;
  }

  const { url, close } = await createProviderServer({
    onArrival({ text, ended }) {
      const reply = replyTo(JSON.parse(text), attemptOf, seed);
      if (trouble !== null) reply.fate = trouble;
      // The same number never stands for two replies.
      reply.inputTokens = replies.length + 1;
      replies.push(reply);
      void ended.then(() => {
        reply.endedAt = now();
      });
    },
    // Called with the request that has just arrived.
    answer: () => answerOf(replies.at(-1), seed),
  });
  /** From now on every request meets this fate, or again its own where it is null. */
  const strike = (fate: Fate | null) => {
    trouble = fate;
  };
  return { url, replies, strike, close };
}

const refusalTypes: Record<string, string> = {
  529: 'overloaded_error',
  500: 'api_error',
  429: 'rate_limit_error',
  401: 'authentication_error',
  400: 'invalid_request_error',
};

function answerOf(reply: ProviderReply | undefined, seed: number): ProviderAnswer {
  if (reply === undefined) throw new Error('An answer is wanted before a request has arrived.');
  const status = /\d+$/.exec(reply.fate)?.[0];
  if (status !== undefined)
    return { refuse: { status: Number(status), type: refusalTypes[status] ?? '', message: 'As planned.' } };
  return {
    steps: stepsOf(reply, seed),
    stopReason: reply.stopReason,
    usage: {
      input_tokens: reply.inputTokens,
      output_tokens: reply.outputTokens,
      cache_read_input_tokens: reply.cacheReadTokens,
      cache_creation_input_tokens: reply.cacheCreateTokens,
    },
  };
}

function* stepsOf(reply: ProviderReply, seed: number): Generator<ProviderStep> {
  const { turn, attempt, fate, deltas, pauseMilliseconds } = reply;
  // A slow reader gets more than the buffers in between hold.
  const isRead = planTurn(seed, turn).readingMillisecondsPerChunk !== null;
  const rest = isRead ? Array.from({ length: 60 }, (_, index) => `${index} ${'and so on, '.repeat(200)}`) : deltas;
  // A reply without any text is one that ends well.
  const texts = rest.length === 0 && fate === 'reply' ? [] : [`${replyMark(turn, attempt)} `, ...rest];
  if (fate.endsWith('before text')) yield* breakOff(fate);
  for (const text of fate.endsWith('after text') ? texts.slice(0, 4) : texts) {
    yield { wait: fate === 'slow reply' ? 500 : pauseMilliseconds };
    reply.text += text;
    yield { text };
  }
  if (fate.endsWith('after text')) yield* breakOff(fate);
  reply.whole = true;
}

function* breakOff(fate: Fate): Generator<ProviderStep> {
  const type = fate.startsWith('overloaded') ? 'overloaded_error' : 'api_error';
  if (fate.includes('event')) yield { event: { type: 'error', error: { type, message: 'As planned.' } } };
  if (fate.startsWith('malformed'))
    yield { raw: 'event: content_block_delta\ndata: {"type":"content_block_delta",\n\n' };
  if (fate.startsWith('cut')) yield { cut: true };
  if (fate.startsWith('silent')) yield { wait: new Promise<never>(() => {}) };
  yield { end: true };
}

export type Held = { heapBytes: number; resources: Record<string, number> };

/** The product as production runs it behind a proxy, in a process of its own, always at the same address. */
export async function startProduct(environment: Record<string, string>) {
  const port = await steadyPort();
  const lives: ReturnType<typeof serveInProcess>[] = [];
  const variables = {
    // It answers a signal with what it holds.
    NODE_OPTIONS: '--import ./test/soak/probe.ts',
    NODE_ENV: 'production',
    PORT: String(port),
    PUBLIC_URL: `https://localhost:${port}`,
    TRUST_PROXY: 'true',
    SESSION_SECRET: sessionSecret,
    SIGN_UP: 'invited',
    ANTHROPIC_API_KEY: 'soak',
    ANTHROPIC_MODEL: modelName,
    GITHUB_CLIENT_ID: 'soak',
    GITHUB_CLIENT_SECRET: 'soak',
    // Longer than anything that is slow but alive, and short enough to be met often.
    MODEL_IDLE_TIMEOUT_MS: '6000',
    // Shorter than people's patience, so that replies are running when it is over.
    SHUTDOWN_GRACE_MS: '3000',
    ...environment,
  };

  async function start(): Promise<void> {
    lives.push(serveInProcess(variables));
    await lives.at(-1)?.url;
  }

  const end = (signal: NodeJS.Signals) => async () => {
    lives.at(-1)?.kill(signal);
    await lives.at(-1)?.exited;
  };

  await start();
  return {
    url: `http://127.0.0.1:${port}`,
    start,
    stop: end('SIGTERM'),
    kill: end('SIGKILL'),

    /** What the process holds now that its garbage is collected. */
    async sample(): Promise<Held> {
      const { output = [], kill } = lives.at(-1) ?? {};
      const before = output.length;
      kill?.('SIGUSR2');
      for (;;) {
        const line = output.slice(before).find((one) => one.startsWith('{"heapBytes"'));
        if (line !== undefined) return JSON.parse(line);
        await delay(20);
      }
    },

    /** What its log and its ends say that they must not, once it has ended. */
    async problems(): Promise<string[]> {
      const ends = await Promise.all(lives.map(({ exited }) => exited));
      const lines = lives.flatMap(({ output }) => output);
      return [
        ...ends.filter((end) => end !== 0 && end !== 'SIGKILL').map((end) => `a process ended with ${end}`),
        ...lines.filter((line) => losses.test(line)).map((line) => `the log says: ${line.slice(0, 300)}`),
        ...lines.filter((line) => contents.test(line)).map(() => 'the log repeats what people or the provider said'),
      ];
    },
  };
}
