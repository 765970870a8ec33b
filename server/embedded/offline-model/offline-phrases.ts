import type { ProviderStep } from '../provider-answer.ts';

/** What a phrase changes about a reply; what is absent stays as usual. */
export type Behaviour = {
  /** refuse before the stream begins: every time, or the first `times` times that the same conversation is sent */
  refusal?: { status: number; type: string; times?: number };
  /** say some words, then this */
  interruption?: ProviderStep[];
  /** pause before each word */
  paceMilliseconds?: number;
  /** go on for about this many words */
  words?: number;
};

const overloaded = { status: 529, type: 'overloaded_error' };
const broken = { status: 500, type: 'api_error' };
const failure = { type: 'error', error: { type: 'api_error', message: 'The reply was asked to fail midway.' } };

/** The longest pause that a timer can hold, 24 days: every client gives up first. */
const foreverMilliseconds = 2 ** 31 - 1;

type Phrase = { phrase: string; effect: string; behaviour: Behaviour };

/**
 * What makes the offline stand-in misbehave, so that one can watch a client follow the retry table.
 * The first phrase that the last message holds counts, so a phrase stands before those that it begins with.
 */
export const offlinePhrases: readonly Phrase[] = [
  {
    phrase: 'please be overloaded twice',
    effect: 'is overloaded (529) for two attempts, then answers',
    behaviour: { refusal: { ...overloaded, times: 2 } },
  },
  { phrase: 'please be overloaded', effect: 'is overloaded (529) every time', behaviour: { refusal: overloaded } },
  {
    phrase: 'please fail once',
    effect: 'fails (500) for one attempt, then answers',
    behaviour: { refusal: { ...broken, times: 1 } },
  },
  {
    phrase: 'please fail midway',
    effect: 'says some words, then an error',
    behaviour: { interruption: [{ event: failure }, { end: true }] },
  },
  { phrase: 'please fail', effect: 'fails (500) every time', behaviour: { refusal: broken } },
  {
    phrase: 'please refuse the request',
    effect: 'finds fault with the request (400)',
    behaviour: { refusal: { status: 400, type: 'invalid_request_error' } },
  },
  {
    phrase: 'please reject the key',
    effect: 'rejects the API key (401)',
    behaviour: { refusal: { status: 401, type: 'authentication_error' } },
  },
  {
    phrase: 'please cut the connection',
    effect: 'says some words, then breaks the connection',
    behaviour: { interruption: [{ cut: true }] },
  },
  {
    phrase: 'please stall',
    effect: 'says some words, then nothing more until one side gives up',
    behaviour: { interruption: [{ wait: foreverMilliseconds }] },
  },
  { phrase: 'please be slow', effect: 'says one word a second', behaviour: { paceMilliseconds: 1000 } },
  {
    phrase: 'please write a long reply',
    effect: 'says about 20,000 words without a pause',
    behaviour: { words: 20_000, paceMilliseconds: 0 },
  },
];

/** How `question` asks the stand-in to behave; letter case does not matter. */
export function requestedBehaviour(question: string): Behaviour {
  const asked = question.toLowerCase();
  return offlinePhrases.find(({ phrase }) => asked.includes(phrase))?.behaviour ?? {};
}
