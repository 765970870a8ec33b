import type { Draft } from '../chat/draft.ts';
import { firstCharacters } from '../first-characters.ts';

const maxTitleCharacters = 48;

/** A sentence such as “Hi.” says too little for a title. */
const minSentenceCharacters = 12;

const sentences = new Intl.Segmenter(undefined, { granularity: 'sentence' });
const words = new Intl.Segmenter(undefined, { granularity: 'word' });

/**
 * Returns the beginning of `text` on one line: up to the end of a sentence, without its full stop or colon, or cut at 48 characters,
 * between words if possible.
 */
export function titleOf(text: string): string {
  const sentence = toOneLine(firstSentence(beginningOf(text, maxTitleCharacters)));
  if (firstCharacters(sentence, maxTitleCharacters) === sentence)
    return sentence.replace(/(?<![.。．])[.。．:：]$/, '');
  const start = firstCharacters(sentence, maxTitleCharacters - 1);
  const { index = 0 } = words.segment(sentence).containing(start.length) ?? {};
  // A word that takes up more than half of the title is cut.
  const title = index > start.length / 2 ? sentence.slice(0, index) : start;
  return `${title.replace(/[\s\p{Ps}\p{Pi}\p{Pd},;:、，]+$/u, '')}…`;
}

/** The end of an abbreviation, which Unicode’s rules take for the end of a sentence. */
const abbreviation = /(?<!\p{L})\p{L}{1,3}\.\s*$/u;

/** Returns `text` up to the end of the first sentence or line that makes it long enough for a title. */
function firstSentence(text: string): string {
  for (const { index, segment } of sentences.segment(text)) {
    const end = index + segment.length;
    if (end >= minSentenceCharacters && !abbreviation.test(segment)) return text.slice(0, end);
  }
  return text;
}

/** A name that is longer, for example from a file, is cut. */
export const maxNameCharacters = 80;

export function nameOf(text: string): string {
  const line = toOneLine(beginningOf(text, maxNameCharacters));
  if (firstCharacters(line, maxNameCharacters) === line) return line;
  return `${firstCharacters(line, maxNameCharacters - 1)}…`;
}

/** Bounds the work: a question can be a pasted book. A character such as a family emoji has many code units. */
function beginningOf(text: string, characters: number): string {
  return text.trimStart().slice(0, characters * 32);
}

function toOneLine(text: string): string {
  return text.trim().replace(/\s+/g, ' ');
}

/** Returns the title of a conversation without a question. Queued questions come first, because they are sent before the text. */
export function titleOfDraft({ queued, text }: Draft): string {
  return titleOf(queued[0] ?? text);
}
