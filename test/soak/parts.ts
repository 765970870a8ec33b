import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { createInterface } from 'node:readline';
import type { ProviderAnswer, ProviderStep } from '../../server/embedded/provider-answer.ts';
import { createProviderServer } from '../../server/embedded/provider-server.ts';
import { root, startOptions } from '../support/served-process.ts';
import { steadyPort } from '../support/steady-port.ts';
import { type Fate, planReply, planTurn, replyMark, turnAsked } from './plan.ts';
import type { Held } from './probe.ts';

/** Milliseconds since 1970 on a clock that is never set back, and that can be compared with the database's. */
export const now = () => performance.timeOrigin + performance.now();

export const modelName = 'claude-soak';
export const sessionSecret = 'a secret of a soak with thirty-two characters at least';

const patienceMilliseconds = 60_000;

/** One request that reached the provider, and what it was answered. `attempt` counts a turn's requests from 1. */
export type ProviderReply = {
  turn: number;
  attempt: number;
  fate: Fate;
  arrivedAt: number;
  endedAt: number | null;
  /** the text deltas that were sent, joined */
  text: string;
  whole: boolean;
  inputTokens: number;
  outputTokens: number;
  cacheReadTokens: number;
  cacheCreateTokens: number;
  stopReason: string;
  maxTokens: number;
  /** the organizations and persons that the system prompt names, and the turns that the messages hold */
  marks: string[];
  turnsNamed: number[];
};

export type Provider = Awaited<ReturnType<typeof startProvider>>;

type Sent = { system: unknown; messages: { content: unknown }[]; max_tokens: number };

/** The model provider: it answers each request as the plan of its turn says, and notes what it was asked and what it sent. */
export async function startProvider(seed: number) {
  const replies: ProviderReply[] = [];
  const requestsOf = new Map<number, number>();
  let steps: Iterable<ProviderStep> = [];
  let trouble: Fate | null = null;
  /** Those whose replies go slowly, each with what is called when one has got as far as its person can see it. */
  const lingering = new Map<string, () => void>();

  function begin({ system, messages, max_tokens: maxTokens }: Sent): void {
    const turn = turnAsked(textOf(messages.at(-1)?.content));
    const attempt = (requestsOf.get(turn) ?? 0) + 1;
    requestsOf.set(turn, attempt);
    const { fate, deltas, pauseMilliseconds, ...planned } = planReply(seed, turn, attempt);
    const marks = found(system, /\[(?:organization|person) \d+\]/g);
    const onShown = marks.map((mark) => lingering.get(mark)).find((shown) => shown !== undefined);
    const reply: ProviderReply = {
      turn,
      attempt,
      fate: trouble ?? (onShown ? 'slow reply' : fate),
      arrivedAt: now(),
      endedAt: null,
      text: '',
      whole: false,
      ...planned,
      // The same number never stands for two replies.
      inputTokens: replies.length + 1,
      maxTokens,
      marks,
      turnsNamed: found(messages, /(?<=\[(?:question|reply) )\d+/g).map(Number),
    };
    replies.push(reply);
    // A slow reader, and somebody who is about to be suspended, get enough for several seconds.
    const isRead = planTurn(seed, turn).readingMillisecondsPerChunk !== null;
    const long = Array.from(
      { length: isRead ? 60 : 15 },
      (_, index) => `${index} ${'and so on, '.repeat(isRead ? 200 : 1)}`,
    );
    const rest = isRead || onShown ? long : deltas;
    const texts = rest.length === 0 && reply.fate === 'reply' ? [] : [`${replyMark(turn, attempt)} `, ...rest];
    steps = stepsOf(reply, texts, pauseMilliseconds, onShown);
  }

  const server = await createProviderServer({
    onArrival({ text, ended }) {
      begin(JSON.parse(text));
      const reply = replies.at(-1);
      void ended.then(() => {
        if (reply) reply.endedAt = now();
      });
    },
    // Called with the request that has just arrived.
    answer: () => answerOf(replies.at(-1), steps),
  });

  return {
    url: server.url,
    replies,
    /** From now on every request meets this fate, or again its own where it is null. */
    strike(fate: Fate | null): void {
      trouble = fate;
    },
    /** From now on every reply about this person takes many seconds; resolves when some of one has been sent. */
    linger(mark: string): Promise<void> {
      const { promise, resolve } = Promise.withResolvers<void>();
      lingering.set(mark, resolve);
      return promise;
    },
    close: server.close,
  };
}

const refusalTypes: Record<string, string> = {
  529: 'overloaded_error',
  500: 'api_error',
  429: 'rate_limit_error',
  401: 'authentication_error',
  400: 'invalid_request_error',
};

function answerOf(reply: ProviderReply | undefined, steps: Iterable<ProviderStep>): ProviderAnswer {
  if (reply === undefined) throw new Error('An answer is wanted before a request has arrived.');
  const status = /\d+$/.exec(reply.fate)?.[0];
  if (status !== undefined)
    return { refuse: { status: Number(status), type: refusalTypes[status] ?? '', message: 'As planned.' } };
  return {
    steps,
    stopReason: reply.stopReason,
    usage: {
      input_tokens: reply.inputTokens,
      output_tokens: reply.outputTokens,
      cache_read_input_tokens: reply.cacheReadTokens,
      cache_creation_input_tokens: reply.cacheCreateTokens,
    },
  };
}

function* stepsOf(
  reply: ProviderReply,
  texts: readonly string[],
  pauseMilliseconds: number,
  onShown?: () => void,
): Generator<ProviderStep> {
  const { fate } = reply;
  if (fate.endsWith('before text')) yield* breakOff(fate);
  for (const [index, text] of (fate.endsWith('after text') ? texts.slice(0, 4) : texts).entries()) {
    yield { wait: fate === 'slow reply' ? 500 : pauseMilliseconds };
    if (index === 2) onShown?.();
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

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return Array.isArray(content) ? content.map((block: { text?: string }) => block.text ?? '').join('\n\n') : '';
}

const found = (value: unknown, pattern: RegExp) => [...new Set(JSON.stringify(value).match(pattern))];

/** A process of the product, from its start to its exit. `code` is null where a signal ended it. */
export type Life = { exitedAt: number | null; killed: boolean; code: number | null };

export type Product = Awaited<ReturnType<typeof startProduct>>;

/** The product as production runs it behind a proxy, in a process of its own, always at the same address. */
export async function startProduct(environment: Record<string, string>) {
  const port = await steadyPort();
  const lives: Life[] = [];
  const logLines: string[] = [];
  let child: ChildProcess | undefined;

  async function start(): Promise<void> {
    const life: Life = { exitedAt: null, killed: false, code: null };
    const program = [...startOptions, '--expose-gc', '--import', './test/soak/probe.ts', 'server/main.ts'];
    const started = spawn(process.execPath, program, {
      cwd: root,
      env: {
        PATH: process.env.PATH,
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
        MODEL_IDLE_TIMEOUT_MS: '15000',
        // Shorter than people's patience, so that replies are running when it is over.
        SHUTDOWN_GRACE_MS: '3000',
        ...environment,
      },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    child = started;
    lives.push(life);
    const { promise: listening, resolve, reject } = Promise.withResolvers<void>();
    const fail = (what: string) => reject(new Error(`${what}:\n${logLines.slice(-20).join('\n')}`));
    for (const stream of [started.stdout, started.stderr]) {
      if (stream === null) continue;
      createInterface({ input: stream }).on('line', (line) => {
        logLines.push(line);
        if (line.includes('"msg":"listening"')) resolve();
      });
    }
    started.once('exit', (code) => {
      Object.assign(life, { exitedAt: now(), code });
      fail('The product ended before it listened');
    });
    const timer = setTimeout(() => fail('The product does not start'), patienceMilliseconds);
    await listening.finally(() => clearTimeout(timer));
  }

  async function end(signal: NodeJS.Signals): Promise<void> {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    // Not before its output has ended: the last lines are read as well.
    const ended = once(child, 'close', { signal: AbortSignal.timeout(patienceMilliseconds) });
    child.kill(signal);
    await ended;
  }

  await start();
  return {
    url: `http://127.0.0.1:${port}`,
    lives,
    logLines,
    start,
    stop: () => end('SIGTERM'),
    async kill(): Promise<void> {
      Object.assign(lives.at(-1) ?? {}, { killed: true });
      await end('SIGKILL');
    },
    /** Leaves nothing running, however the run has ended. */
    close: () => end('SIGKILL'),
    /** What the process holds now that its garbage is collected. */
    async sample(): Promise<Held> {
      if (child === undefined) throw new Error('The product does not run.');
      const answered = once(child, 'message', { signal: AbortSignal.timeout(patienceMilliseconds) });
      child.send('sample');
      const [held]: Held[] = await answered;
      if (held === undefined) throw new Error('The product does not say what it holds.');
      return held;
    },
  };
}
