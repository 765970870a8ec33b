import { isObject } from '../../shared/is-object.ts';
import type { Draft } from '../chat/draft.ts';
import { isTexts, readTurn } from '../chat/transcript.ts';
import type { Turn } from '../chat/turn.ts';
import { firstCharacters } from '../first-characters.ts';

export type ConversationEntry = {
  id: string;
  /** The first sentence of the first question, or of the draft if no question has been sent yet. */
  title: string;
  /** The name that the user gave the conversation. */
  name?: string | undefined;
  /** The time of the last question or reply, in milliseconds since the epoch; always valid for `Date`. */
  lastActiveAt: number;
};

/** The stored fields of a conversation, without its turns. */
export type ConversationRow = ConversationEntry & {
  /** The service's id of the conversation: undefined until the first turn is answered. */
  conversationId?: string | undefined;
  /** The last turn of the shown path; null if nothing has been asked. */
  shownId: string | null;
  /** The last turns of the other paths that were shown, the oldest first. */
  earlierShownIds?: readonly string[] | undefined;
  /** The time at which the user deleted it, in milliseconds since the epoch. It can be restored until it is purged. */
  removedAt?: number | undefined;
};

/** One stored turn. A growing reply updates one small record, however long the conversation is. */
export type TurnRow = {
  /** The conversation's id on this device. */
  conversation: string;
  id: string;
  /** Sorts the turns of a conversation by creation. */
  order: number;
  turn: Turn;
};

export type TurnKey = readonly [conversation: string, turn: string];

const maxTitleCharacters = 48;

/** A sentence such as “Hi.” says too little for a title. */
const minSentenceCharacters = 12;

const sentences = new Intl.Segmenter(undefined, { granularity: 'sentence' });
const words = new Intl.Segmenter(undefined, { granularity: 'word' });

/** Returns the first sentence of `text` without its full stop or colon, on one line. A longer one is cut between words at 48 characters. */
export function titleOf(text: string): string {
  const sentence = onOneLine(firstSentence(beginningOf(text, maxTitleCharacters)));
  if (firstCharacters(sentence, maxTitleCharacters) === sentence)
    return sentence.replace(/(?<![.。．])[.。．:：]$/, '');
  const start = firstCharacters(sentence, maxTitleCharacters - 1);
  const { index = 0 } = words.segment(sentence).containing(start.length) ?? {};
  // A word that is most of the title is cut.
  const title = index > start.length / 2 ? sentence.slice(0, index) : start;
  return `${title.replace(/[\s\p{Ps}\p{Pi}\p{Pd},;:、，]+$/u, '')}…`;
}

/** The end of an abbreviation, which Unicode’s rules take for the end of a sentence. */
const abbreviation = /(?<!\p{L})\p{L}{1,3}\.\s*$/u;

/** Returns the first sentence or line of `text` that says something, with what is before it. */
function firstSentence(text: string): string {
  for (const { index, segment } of sentences.segment(text)) {
    const end = index + segment.length;
    if (end >= minSentenceCharacters && !abbreviation.test(segment)) return text.slice(0, end);
  }
  return text;
}

const maxNameCharacters = 80;

/** Returns the first 80 characters of a name that the user gave, on one line. */
export function nameOf(text: string): string {
  const line = onOneLine(beginningOf(text, maxNameCharacters));
  if (firstCharacters(line, maxNameCharacters) === line) return line;
  return `${firstCharacters(line, maxNameCharacters - 1)}…`;
}

/** Bounds what is normalized: a question can be a pasted book. An emoji of a family has up to 25 code units. */
function beginningOf(text: string, characters: number): string {
  return text.trimStart().slice(0, characters * 32);
}

function onOneLine(text: string): string {
  return text.trim().replace(/\s+/g, ' ');
}

/** The title of a conversation in which nothing has been asked yet. Queued questions are sent before the text. */
export function titleOfDraft({ queued, text }: Draft): string {
  return titleOf(queued[0] ?? text);
}

/** The latest time that `Date` accepts: formatting a later one throws. */
const latestMoment = 8_640_000_000_000_000;

/** Ids are used in URLs and storage keys. */
const conversationIdPattern = /^[\w-]{1,64}$/;

/** Returns undefined if the value is not a valid conversation. */
export function readConversationRow(value: unknown): ConversationRow | undefined {
  if (!isObject(value)) return undefined;
  const { id, title, name, lastActiveAt, conversationId, shownId = null, earlierShownIds, removedAt } = value;
  if (!isConversationId(id) || typeof title !== 'string' || !isMoment(lastActiveAt)) return undefined;
  if (!isTextOrAbsent(name) || !isTextOrAbsent(conversationId)) return undefined;
  if (shownId !== null && typeof shownId !== 'string') return undefined;
  if (earlierShownIds !== undefined && !isTexts(earlierShownIds)) return undefined;
  if (removedAt !== undefined && !isMoment(removedAt)) return undefined;
  return { id, title, name, lastActiveAt, conversationId, shownId, earlierShownIds, removedAt };
}

/** Returns undefined if the value is not a valid turn. */
export function readTurnRow(value: unknown): TurnRow | undefined {
  if (!isObject(value)) return undefined;
  const { conversation, id, order } = value;
  const turn = readTurn(value.turn);
  if (!isConversationId(conversation) || typeof id !== 'string' || turn?.id !== id) return undefined;
  if (typeof order !== 'number' || !Number.isFinite(order)) return undefined;
  const isDated = turn.askedAt === null || isMoment(turn.askedAt);
  return { conversation, id, order, turn: isDated ? turn : { ...turn, askedAt: null } };
}

export function inOrder(rows: Iterable<TurnRow>): TurnRow[] {
  return [...rows].sort((one, other) => one.order - other.order);
}

export function isConversationId(value: unknown): value is string {
  return typeof value === 'string' && conversationIdPattern.test(value);
}

export function isMoment(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= latestMoment;
}

export function isTextOrAbsent(value: unknown): value is string | undefined {
  return value === undefined || typeof value === 'string';
}
