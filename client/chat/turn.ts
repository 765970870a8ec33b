import type { ErrorCode } from '../../shared/errors.ts';
import { isBlank } from '../../shared/messages.ts';

/**
 * How a turn ended: `interrupted` by the connection, or `left` when its page was closed. `unsent`: an earlier release stored
 * that the device was offline and sent nothing. The person can quote `requestId` to an operator. A page shows a failure in its
 * own language by `code` and `status`: `code` is undefined if the service did not name one of its errors, `status` is the HTTP
 * status (200 if the error came after the first text), or 0 if an earlier release stored none. `sentence` says the same in English.
 */
export type Ending =
  | { type: 'done' }
  | { type: 'stopped' }
  | { type: 'unsent' }
  | { type: 'interrupted'; requestId: string }
  | { type: 'left'; requestId: string }
  | { type: 'failed'; requestId: string; sentence: string; code: ErrorCode | undefined; status: number };

/**
 * One question and its reply so far. All turns of a conversation form a tree: turns that follow the same
 * one are versions of each other, of its reply where they ask the same question, and of its question otherwise.
 */
export type Turn = {
  /** The turn's own id, which only this device knows. */
  id: string;
  /** The turn that this one follows in the conversation, or null for a first one. */
  parentId: string | null;
  /** The id of the request. "Try again" sends the same one, so two versions can share it. */
  requestId: string;
  question: string;
  reply: string;
  /** Null while the turn runs. */
  ending: Ending | null;
  /** When it was asked, in milliseconds since the epoch; null if unknown. */
  askedAt: number | null;
  /** Set if the question only asks for the rest of the reply before it. */
  isContinuation?: true;
};

/** Whether the turn has a reply with some text. The model can also answer with white space only. */
export function hasReply(turn: Pick<Turn, 'reply'> | undefined): boolean {
  return turn !== undefined && !isBlank(turn.reply);
}

/**
 * How many tokens a character is at the most, on an average over a whole reply. In languages with an alphabet a token has three to
 * four characters of prose and never much less than two, not even in tables of numbers; a Chinese or Japanese character can be two.
 */
const maxTokensByCharacter = { alphabet: 0.5, wide: 2 };

/** What is written without an alphabet: Chinese, Japanese and Korean, with their punctuation. */
const wide = /[\u2e80-\ud7ff\uf900-\ufaff\uff00-\uffef]/g;

/** What may follow the last sign of a sentence: closing quotation marks, brackets and marks of Markdown. */
const closing = /[\s"'”’»›“)\]}」』）】*_~`]+$/;

const sentenceEnd = /[.!?…。！？．؟۔]$/;

const fence = /^[ \t>]*(?:[-*+]\s+|\d+[.)]\s+)?(?:`{3,}|~{3,})/;

/**
 * Whether a reply that has come whole may have been cut where the most tokens were used up. The transport does not say so: it has to
 * be long enough for that, and end where no reply ends by itself. It can be wrong, so nothing may depend on it but an offer.
 */
export function mayBeCut(reply: string, maxTokens: number): boolean {
  return tokensAtMost(reply) >= maxTokens && isOpen(reply.trimEnd());
}

function tokensAtMost(reply: string): number {
  const wideCharacters = reply.match(wide)?.length ?? 0;
  return wideCharacters * maxTokensByCharacter.wide + (reply.length - wideCharacters) * maxTokensByCharacter.alphabet;
}

function isOpen(reply: string): boolean {
  const lines = reply.split('\n');
  const last = lines.at(-1)?.trim() ?? '';
  const fences = lines.filter((line) => fence.test(line)).length;
  if (fences % 2 === 1) return true;
  if (last.startsWith('|')) return !last.endsWith('|') || last === '|';
  if (fence.test(last) || last.endsWith('$$')) return false;
  return !sentenceEnd.test(last.replace(closing, ''));
}
