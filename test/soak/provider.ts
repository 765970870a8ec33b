import fc from 'fast-check';
import { createProviderServer, type ProviderAnswer, type ProviderStep } from '../../server/embedded/provider-server.ts';
import type { ErrorCode } from '../../shared/errors.ts';
import { errorEvent } from '../support/scripted-provider.ts';

/** Returns milliseconds since 1970 from a monotonic clock, comparable with the database's clock. */
export const now = () => performance.timeOrigin + performance.now();

export const modelName = 'claude-soak';

/** `code` is the error of live chat before the first text. A break without a code comes after text. */
export type Outcome = {
  weight: number;
  code: ErrorCode | null;
  refusal?: { status: number; type: string };
  break?: ProviderStep;
};

function refusal(weight: number, status: number, type: string, code: ErrorCode = 'UPSTREAM_ERROR'): Outcome {
  return { weight, code, refusal: { status, type } };
}

const silence = { wait: new Promise<never>(() => {}) };

/** The possible outcomes of a provider request, with weights per thousand. */
export const outcomes = {
  reply: { weight: 880, code: null },
  'slow reply': { weight: 40, code: null },
  'refused with 529': refusal(15, 529, 'overloaded_error', 'UPSTREAM_OVERLOADED'),
  'refused with 500': refusal(10, 500, 'api_error'),
  'refused with 401': refusal(5, 401, 'authentication_error', 'UPSTREAM_AUTH'),
  'error event before text': { weight: 10, code: 'UPSTREAM_ERROR', break: errorEvent('api_error') },
  'error event after text': { weight: 10, code: null, break: errorEvent('api_error') },
  'cut before text': { weight: 10, code: 'UPSTREAM_ERROR', break: { cut: true } },
  'cut after text': { weight: 10, code: null, break: { cut: true } },
  'silent before text': { weight: 5, code: 'UPSTREAM_ERROR', break: silence },
  'silent after text': { weight: 5, code: null, break: silence },
} satisfies Record<string, Outcome>;

const mostly = <T>(percent: number, usual: fc.Arbitrary<T>, other: fc.Arbitrary<T>) =>
  fc.oneof({ weight: percent, arbitrary: usual }, { weight: 100 - percent, arbitrary: other });
const sometimes = (percent: number, value: fc.Arbitrary<number>) => mostly(100 - percent, fc.constant(null), value);

const turnPlan = fc.record({
  thinkMilliseconds: fc.integer({ min: 0, max: 1000 }),
  inNewConversation: mostly(85, fc.constant(false), fc.constant(true)),
  /** Text in all scripts, and sometimes text that PostgreSQL cannot store, or with a directional override. */
  words: mostly(
    95,
    fc.string({ unit: 'grapheme', maxLength: 120 }),
    fc.constantFrom('a NUL \0 within', 'half a pair \ud83d within', '\u202eright to left'),
  ),
  readingMillisecondsPerChunk: sometimes(4, fc.integer({ min: 5, max: 40 })),
  leavesAfterMilliseconds: sometimes(10, fc.integer({ min: 0, max: 1500 })),
  leavesAfterCharacters: sometimes(10, fc.integer({ min: 1, max: 400 })),
  triesAgain: fc.integer({ min: 0, max: 2 }),
});

/** Well-formed text: no character is split across deltas. */
const delta = mostly(
  99,
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }),
  fc.constantFrom('\0', '\u2028', '🙂', '\n\n['),
);

const replyPlan = fc.record({
  outcome: fc.oneof(
    ...Object.values<Outcome>(outcomes).map((outcome) => ({ weight: outcome.weight, arbitrary: fc.constant(outcome) })),
  ),
  deltas: fc.array(delta, { maxLength: 12 }),
  pauseMilliseconds: fc.integer({ min: 0, max: 40 }),
  usage: fc.record({
    output_tokens: fc.integer({ min: 2, max: 4096 }),
    cache_read_input_tokens: fc.integer({ min: 0, max: 20_000 }),
    cache_creation_input_tokens: fc.integer({ min: 0, max: 20_000 }),
  }),
  stopReason: mostly(90, fc.constant('end_turn'), fc.constant('max_tokens')),
});

function sample<T>(arbitrary: fc.Arbitrary<T>, ...path: number[]): T {
  const seed = path.reduce((mixed, number) => Math.imul(mixed ^ number, 0x9e3779b1) ^ (mixed >>> 15), 0x51ed270b);
  const [value] = fc.sample(arbitrary, { seed, numRuns: 1 });
  if (value === undefined) throw new Error('The arbitrary generated no value.');
  return value;
}

/** Returns a person's behavior in a turn. Deterministic: it depends only on the seed and the turn. */
export const planTurn = (seed: number, turn: number) => sample(turnPlan, seed, turn);

export type ProviderReply = ReturnType<typeof replyTo>;

const matches = (value: unknown, pattern: RegExp) => [...new Set(JSON.stringify(value).match(pattern))];

/** Returns a provider request and its planned reply, whose text starts with `name` unless it stays empty. */
function replyTo(sent: { system: unknown; messages: unknown[] }, before: readonly { turn: number }[], seed: number) {
  const turn = Number(matches(sent.messages.at(-1), /(?<=\[question )\d+/g)[0]);
  const attempt = before.filter((other) => other.turn === turn).length + 1;
  const plan = sample(replyPlan, seed, turn, attempt);
  return {
    ...plan,
    turn,
    name: `[reply ${turn}.${attempt}]`,
    arrivedAt: now(),
    endedAt: Infinity,
    text: '',
    isComplete: false,
    // `input_tokens` differs for each reply, to tell them apart in the database.
    usage: { ...plan.usage, input_tokens: before.length + 1 },
    marks: matches(sent.system, /\[(?:organization|person) \d+\]/g),
    turnsNamed: matches(sent.messages, /(?<=\[(?:question|reply) )\d+/g).map(Number),
  };
}

/** Answers each request as planned, unless the outcome is overridden, and records requests and replies. */
export async function startProvider(seed: number) {
  const replies: ProviderReply[] = [];
  let overridden: Outcome | null = null;

  const { url, close } = await createProviderServer({
    onArrival({ text, ended }) {
      const reply = replyTo(JSON.parse(text), replies, seed);
      reply.outcome = overridden ?? reply.outcome;
      replies.push(reply);
      void ended.then(() => {
        reply.endedAt = now();
      });
    },
    // The server calls this directly after `onArrival` of the same request.
    answer: () => answerOf(replies.at(-1), seed),
  });
  /** Gives all following requests this outcome; null restores the planned outcomes. */
  const override = (outcome: Outcome | null) => {
    overridden = outcome;
  };
  return { url, replies, override, close };
}

function answerOf(reply: ProviderReply | undefined, seed: number): ProviderAnswer {
  if (reply === undefined) throw new Error('No request has arrived.');
  const { refusal } = reply.outcome;
  if (refusal !== undefined) return { refuse: { ...refusal, message: 'As planned.' } };
  return { steps: stepsOf(reply, seed), stopReason: reply.stopReason, usage: reply.usage };
}

function* stepsOf(reply: ProviderReply, seed: number): Generator<ProviderStep> {
  const { turn, name, outcome, deltas, pauseMilliseconds } = reply;
  // Slow readers get replies close to the maximum length of demo chat.
  const isReadSlowly = planTurn(seed, turn).readingMillisecondsPerChunk !== null;
  const rest = isReadSlowly
    ? Array.from({ length: 14 }, (_, index) => `${index} ${'and so on, '.repeat(200)}`)
    : deltas;
  // Of the outcomes that send text, only `reply` may send none.
  const texts = rest.length === 0 && outcome === outcomes.reply ? [] : [`${name} `, ...rest];
  for (const text of outcome.break === undefined ? texts : texts.slice(0, outcome.code === null ? 4 : 0)) {
    yield { wait: outcome === outcomes['slow reply'] ? 500 : pauseMilliseconds };
    reply.text += text;
    yield { text };
  }
  if (outcome.break !== undefined) {
    yield outcome.break;
    yield { end: true };
  }
  reply.isComplete = true;
}
