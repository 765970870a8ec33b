import { createHash } from 'node:crypto';
import { z } from 'zod';
import { readDataSection } from '../prompt/layers.ts';
import { formatExamples } from './format-examples.ts';
import {
  contentText,
  createProviderServer,
  type ProviderAnswer,
  type ProviderBody,
  type ProviderRequest,
  type ProviderStep,
} from './provider-server.ts';

const model = 'offline-stand-in';

const wordsBeforeInterruption = 12;
const charactersPerToken = 4;

/**
 * Starts a stand-in for the model provider on a free loopback port. Its replies describe the prompt, word by word with
 * `paceMilliseconds` between words. `offlinePhrases` change a reply or make it fail.
 */
export function createOfflineModelServer(options: { paceMilliseconds?: number } = {}) {
  const { paceMilliseconds = 20 } = options;
  const refusals = new Map<string, number>();

  function answer({ body }: ProviderRequest): ProviderAnswer {
    const question = contentText(body.messages.at(-1)?.content ?? '');
    const behavior = requestedBehavior(question);
    const { refusal } = behavior;
    if (refusal !== undefined) {
      const { status, type, times = Infinity } = refusal;
      const key = conversationKey(body);
      const refusalCount = refusals.get(key) ?? 0;
      refusals.set(key, refusalCount < times ? refusalCount + 1 : 0);
      if (refusalCount < times) {
        return { refuse: { status, type, message: 'The question asked the offline stand-in to refuse it.' } };
      }
    }
    const reply = offlineReply(readConditioning(body.system), question, body.messages.length - 1);
    const { stopReason = 'end_turn', interruption } = behavior;
    const steps = wordSteps(textOf(behavior, reply, body), behavior.paceMilliseconds ?? paceMilliseconds, interruption);
    return { model, steps, stopReason };
  }

  return createProviderServer({ answer });
}

function textOf({ text, words, stopReason }: Behavior, reply: string, { max_tokens: maxTokens }: ProviderBody): string {
  if (words === 0) return '';
  if (text !== undefined) return `${standInSentence} ${text}`;
  if (stopReason === 'max_tokens') return cutAt(maxTokens, lengthen(reply, maxTokens));
  return words === undefined ? reply : lengthen(reply, words);
}

function cutAt(tokens: number, text: string): string {
  return text.slice(0, tokens * charactersPerToken).replace(/\W+$/, '');
}

function* wordSteps(text: string, paceMilliseconds: number, interruption?: ProviderStep[]): Generator<ProviderStep> {
  const words = text.match(/\s*\S+/g) ?? [];
  for (const word of interruption === undefined ? words : words.slice(0, wordsBeforeInterruption)) {
    yield { text: word };
    if (paceMilliseconds > 0) yield { wait: paceMilliseconds };
  }
  yield* interruption ?? [];
}

function conversationKey({ messages }: ProviderBody): string {
  const hash = createHash('sha256');
  for (const { role, content } of messages) hash.update(`${role}\n${contentText(content)}\n\n`);
  return hash.digest('base64');
}

type Behavior = {
  /** Refuses before the stream starts: always, or `times` times in a row for the same conversation. */
  refusal?: { status: number; type: string; times?: number };
  /** Replaces the rest of the reply after the first words. */
  interruption?: ProviderStep[];
  /** The stop reason of the reply. With `max_tokens`, the reply has the maximum number of tokens. */
  stopReason?: 'max_tokens' | 'refusal';
  paceMilliseconds?: number;
  /** Replaces the description of the prompt. */
  text?: string;
  /** The approximate length of the reply; 0 for an empty one. */
  words?: number;
};

const overloadedRefusal = { status: 529, type: 'overloaded_error' };
const serverErrorRefusal = { status: 500, type: 'api_error' };
const failureEvent = {
  type: 'error',
  error: { type: 'api_error', message: 'The question asked the offline stand-in to fail midway.' },
};

/** The maximum delay of a timer, almost 25 days. */
const foreverMilliseconds = 2 ** 31 - 1;

/** The documentation prints `effect`, the behavior of the stand-in, and `display`, the result for a client of live chat. */
type Phrase = { phrase: string; effect: string; display: string; behavior: Behavior };

/**
 * Phrases in a question that change the reply, to try the page's formats and to test how a client follows the retry
 * table. The first phrase that matches applies, so a phrase must precede its own prefixes.
 */
export const offlinePhrases: readonly Phrase[] = [
  {
    phrase: 'please show all formats',
    effect: 'sends a table, a diagram, a formula, code and a list',
    display: 'the reply',
    behavior: { text: formatExamples },
  },
  {
    phrase: 'please be overloaded twice',
    effect: 'is overloaded (529) for two attempts, then answers',
    display: 'two 503s, after which the client waits 1 and 2 seconds, then the reply',
    behavior: { refusal: { ...overloadedRefusal, times: 2 } },
  },
  {
    phrase: 'please be overloaded',
    effect: 'is overloaded (529) every time',
    display: 'five 503s, between which the client waits 1, 2, 4 and 8 seconds; the last is the error',
    behavior: { refusal: overloadedRefusal },
  },
  {
    phrase: 'please fail once',
    effect: 'fails (500) for one attempt, then answers',
    display: 'one 502, after which the client waits 1 second, then the reply',
    behavior: { refusal: { ...serverErrorRefusal, times: 1 } },
  },
  {
    phrase: 'please fail midway',
    effect: 'sends a few words, then an error',
    display: 'the words, then the error; no automatic retry',
    behavior: { interruption: [{ event: failureEvent }, { end: true }] },
  },
  {
    phrase: 'please fail',
    effect: 'fails (500) every time',
    display: 'two 502s, between which the client waits 1 second; the second is the error',
    behavior: { refusal: serverErrorRefusal },
  },
  {
    phrase: 'please refuse the request',
    effect: 'rejects the request (400)',
    display: 'a 400 and its error, immediately',
    behavior: { refusal: { status: 400, type: 'invalid_request_error' } },
  },
  {
    phrase: 'please reject the key',
    effect: 'rejects the API key (401)',
    display: 'a 500 and its error, immediately',
    behavior: { refusal: { status: 401, type: 'authentication_error' } },
  },
  {
    phrase: 'please cut the connection',
    effect: 'sends a few words, then drops the connection',
    display: 'the words, then the error',
    behavior: { interruption: [{ cut: true }] },
  },
  {
    phrase: 'please stall',
    effect: 'sends a few words, then nothing until either side closes the connection',
    display: 'the words, and the error after a minute',
    behavior: { interruption: [{ wait: foreverMilliseconds }] },
  },
  {
    phrase: 'please be slow',
    effect: 'sends one word per second',
    display: 'a word every second',
    behavior: { paceMilliseconds: 1000 },
  },
  {
    phrase: 'please write a long reply',
    effect: 'sends about 5,000 words without a pause',
    display: 'a long reply',
    behavior: { words: 5_000, paceMilliseconds: 0 },
  },
  {
    phrase: 'please reach the maximum length',
    effect: 'stops mid-sentence at `max_tokens`',
    display: 'a long reply that ends mid-sentence, without an error',
    behavior: { stopReason: 'max_tokens', paceMilliseconds: 0 },
  },
  {
    phrase: 'please say nothing',
    effect: 'ends its reply without text',
    display: 'a 200 with an empty body',
    behavior: { words: 0 },
  },
  {
    phrase: 'please decline',
    effect: 'sends a few words, then stops with the reason `refusal`',
    display: 'the words, without an error',
    behavior: { interruption: [], stopReason: 'refusal' },
  },
];

function requestedBehavior(question: string): Behavior {
  const text = question.toLowerCase();
  return offlinePhrases.find(({ phrase }) => text.includes(phrase))?.behavior ?? {};
}

export const standInSentence = 'This is the offline stand-in: no language model is connected.';

const maxListedItems = 3;
const maxExcerptCharacters = 160;

export function offlineReply(facts: Conditioning, question: string, earlierMessages: number): string {
  const paragraphs = [
    `${standInSentence} It gives no advice. It lists the facts that a model would get with your message.`,
    ...conditioningParagraphs(facts),
    `Your message was “${excerpt(question)}”, sent with ${formatCount(earlierMessages, 'earlier message')}.`,
    'To get real replies, set `ANTHROPIC_API_KEY` and restart the service.',
  ];
  return paragraphs.join('\n\n');
}

/** Extends the reply by about `words` words. The added paragraphs are numbered, so that a missing one is noticed. */
function lengthen(reply: string, words: number): string {
  const filler = (number: number) =>
    `Paragraph ${number} of this reply has twenty words, carries no meaning, and stands here only so that it becomes long.`;
  return [reply, ...Array.from({ length: Math.ceil(words / 20) }, (_, index) => filler(index + 1))].join('\n\n');
}

/** The facts in a system prompt. Facts with an unexpected shape are ignored. */
const factsSchema = z.object({
  organization: z.object({ name: z.string() }).optional().catch(undefined),
  user: z.object({ name: z.string().nullish(), role: z.string().nullish() }).optional().catch(undefined),
  engagement: z
    .object({
      week: z.number().optional(),
      focus: z.string().optional(),
      hypotheses: z.array(z.object({ statement: z.string(), status: z.string() })),
      unknowns: z.array(z.object({ question: z.string() })),
      findings: z.array(z.object({ statement: z.string(), week: z.number().optional() })),
    })
    .optional()
    .catch(undefined),
});

type Conditioning = z.infer<typeof factsSchema>;

/** Merges the data sections of all blocks of a system prompt. Never throws. */
export function readConditioning(system: ProviderBody['system']): Conditioning {
  const texts = typeof system === 'string' ? [system] : (system ?? []).map(({ text }) => text);
  return Object.assign({}, ...texts.map(readFacts));
}

function readFacts(text: string): Conditioning {
  try {
    return factsSchema.parse(readDataSection(text));
  } catch {
    return {};
  }
}

function conditioningParagraphs({ organization, user, engagement }: Conditioning): string[] {
  const organizationText = organization === undefined ? 'no organization' : `**${excerpt(organization.name)}**`;
  const you = user === undefined ? '' : `, with you as ${excerpt(user.name ?? 'someone without a name')}`;
  const role = user?.role == null ? '' : ` (${excerpt(user.role)})`;
  if (engagement === undefined)
    return [`The prompt is about ${organizationText}${you}${role}. It holds no engagement state.`];

  const { week, focus, hypotheses, unknowns, findings } = engagement;
  const aim = focus === undefined ? '' : ` The focus: ${excerpt(focus)}`;
  return [
    `The prompt is about ${organizationText}${you}${role}${week === undefined ? '' : `, in week ${week} of the engagement`}.${aim}`,
    formatList(
      formatCount(hypotheses.length, 'hypothesis', 'hypotheses'),
      hypotheses.map(({ statement, status }) => `${excerpt(statement)} (${status})`),
    ),
    formatList(
      formatCount(unknowns.length, 'unknown'),
      unknowns.map(({ question }) => excerpt(question)),
    ),
    formatList(
      formatCount(findings.length, 'finding'),
      findings.map(({ week, statement }) => `${week === undefined ? '' : `week ${week}: `}${excerpt(statement)}`),
    ),
  ];
}

function formatList(heading: string, items: readonly string[]): string {
  if (items.length === 0) return `${capitalize(heading)}.`;
  const more = items.length - maxListedItems;
  const lines = [...items.slice(0, maxListedItems), ...(more > 0 ? [`… and ${more} more`] : [])];
  return [`${capitalize(heading)}:`, ...lines.map((line) => `- ${line}`)].join('\n');
}

function formatCount(number: number, one: string, many = `${one}s`): string {
  return `${number === 0 ? 'no' : number} ${number === 1 ? one : many}`;
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function excerpt(text: string): string {
  const characters = Array.from(text.replace(/\s+/g, ' ').trim());
  if (characters.length <= maxExcerptCharacters) return characters.join('');
  return `${characters.slice(0, maxExcerptCharacters).join('').trimEnd()}…`;
}
