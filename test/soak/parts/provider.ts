import type { ProviderAnswer, ProviderStep } from '../../../server/embedded/provider-answer.ts';
import { createProviderServer } from '../../../server/embedded/provider-server.ts';
import { replyMark, scopeMarks, turnAsked, turnsNamed } from '../marks.ts';
import { now } from '../now.ts';
import type { Fate } from '../plan/fates.ts';
import { longDeltas, planReply, planTurn, type ReplyPlan } from '../plan/turn-plan.ts';
import type { ProviderReply } from '../records.ts';

export type Provider = Awaited<ReturnType<typeof startProvider>>;

type Sent = { system: unknown; messages: { content: unknown }[]; max_tokens: number };

const slowPauseMilliseconds = 500;
const malformed = 'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":\n\n';
const forever = new Promise<never>(() => {});

/** The model provider: it answers each request as the plan of its turn says, and notes what it was asked and what it sent. */
export async function startProvider(seed: number) {
  const replies: ProviderReply[] = [];
  const requestsOf = new Map<number, number>();
  let latest: { reply: ProviderReply; plan: ReplyPlan } | undefined;
  let trouble: Fate | null = null;
  /** Those whose replies go slowly, each with what is called when one has got as far as its person can see it. */
  const lingering = new Map<string, () => void>();

  function begin(sent: Sent): { reply: ProviderReply; plan: ReplyPlan } {
    const turn = turnAsked(textOf(sent.messages.at(-1)?.content));
    const attempt = (requestsOf.get(turn) ?? 0) + 1;
    requestsOf.set(turn, attempt);
    const plan = planReply(seed, turn, attempt);
    const { outputTokens, cacheReadTokens, cacheCreateTokens, stopReason } = plan;
    const marks = scopeMarks(JSON.stringify(sent.system));
    const ownFate = marks.some((mark) => lingering.has(mark)) ? 'slow reply' : plan.fate;
    const reply: ProviderReply = {
      turn,
      attempt,
      fate: trouble ?? ownFate,
      arrivedAt: now(),
      endedAt: null,
      text: '',
      whole: false,
      // The same number never stands for two replies.
      usage: { inputTokens: replies.length + 1, outputTokens, cacheReadTokens, cacheCreateTokens },
      stopReason,
      maxTokens: sent.max_tokens,
      promptCharacters: JSON.stringify([sent.system, sent.messages]).length,
      marks,
      turnsNamed: turnsNamed(JSON.stringify(sent.messages)),
    };
    replies.push(reply);
    return { reply, plan };
  }

  const server = await createProviderServer({
    onArrival({ text, ended }) {
      latest = begin(JSON.parse(text));
      const { reply } = latest;
      void ended.then(() => {
        reply.endedAt = now();
      });
    },
    // Called with the request that has just arrived.
    answer() {
      if (latest === undefined) throw new Error('An answer is wanted before a request has arrived.');
      const { reply, plan } = latest;
      const onShown = reply.marks.map((mark) => lingering.get(mark)).find((shown) => shown !== undefined);
      if (onShown !== undefined) return answerOf(reply, { ...plan, deltas: lingeringDeltas(reply) }, onShown);
      return answerOf(reply, { ...plan, deltas: deltasOf(seed, reply, plan) });
    },
  });

  return {
    url: server.url,
    replies,
    /** How many requests are being answered. */
    open: () => replies.filter(({ endedAt }) => endedAt === null).length,
    /** From now on every request meets this fate, or again its own where it is null. */
    strike(fate: Fate | null): void {
      trouble = fate;
    },
    /** From now on every reply about this person takes many seconds; resolves when some of one has been sent. */
    linger(personMark: string): Promise<void> {
      const { promise, resolve } = Promise.withResolvers<void>();
      lingering.set(personMark, resolve);
      return promise;
    },
    close: server.close,
  };
}

/** Every reply that has text begins with its mark. */
function deltasOf(seed: number, { turn, attempt, fate }: ProviderReply, { deltas }: ReplyPlan): string[] {
  const long = planTurn(seed, turn).reading !== null;
  const rest = long ? longDeltas() : deltas;
  const empty = rest.length === 0 && fate === 'reply';
  return empty ? [] : [`${replyMark(turn, attempt)} `, ...rest];
}

/** Enough for several seconds of a slow reply. */
function lingeringDeltas({ turn, attempt }: ProviderReply): string[] {
  return [`${replyMark(turn, attempt)} `, ...Array.from({ length: 15 }, (_, index) => `and ${index}, `)];
}

const refusals: Partial<Record<Fate, { status: number; type: string }>> = {
  'refused with 529': { status: 529, type: 'overloaded_error' },
  'refused with 500': { status: 500, type: 'api_error' },
  'refused with 429': { status: 429, type: 'rate_limit_error' },
  'refused with 401': { status: 401, type: 'authentication_error' },
  'refused with 400': { status: 400, type: 'invalid_request_error' },
};

function answerOf(reply: ProviderReply, plan: ReplyPlan, onShown?: () => void): ProviderAnswer {
  const refusal = refusals[reply.fate];
  if (refusal !== undefined) return { refuse: { ...refusal, message: 'As planned.' } };
  const { inputTokens, outputTokens, cacheReadTokens, cacheCreateTokens } = reply.usage;
  return {
    steps: stepsOf(reply, plan, onShown),
    stopReason: reply.stopReason,
    usage: {
      input_tokens: inputTokens,
      output_tokens: outputTokens,
      cache_read_input_tokens: cacheReadTokens,
      cache_creation_input_tokens: cacheCreateTokens,
    },
  };
}

function* stepsOf(
  reply: ProviderReply,
  { deltas, pauseMilliseconds }: ReplyPlan,
  onShown?: () => void,
): Generator<ProviderStep> {
  const { fate } = reply;
  const wait = fate === 'slow reply' ? slowPauseMilliseconds : pauseMilliseconds;
  if (fate.endsWith('before text')) yield* breakOff(fate);
  const good = fate === 'reply' || fate === 'slow reply' ? deltas : deltas.slice(0, 4);
  for (const [index, text] of good.entries()) {
    if (wait > 0) yield { wait };
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
  if (fate.startsWith('malformed')) yield { raw: malformed };
  if (fate.startsWith('cut')) yield { cut: true };
  if (fate.startsWith('silent')) yield { wait: forever };
  yield { end: true };
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((block: { text?: string }) => block.text ?? '').join('\n\n');
}
