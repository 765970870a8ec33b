import type { ErrorCode } from '../../shared/errors.ts';
import { isBlank } from '../../shared/messages.ts';

/**
 * How a turn ended: `interrupted` by the connection, or `left` when its page was closed. Operators find the request in the log by
 * `requestId`. Pages translate a failure by `code` and `status`, and `sentence` is its English text. `code` is undefined if the
 * service named no known error. `status` is the HTTP status (200 if the error came after the first text).
 */
export type Ending =
  | { type: 'done' }
  | { type: 'stopped' }
  | { type: 'interrupted'; requestId: string }
  | { type: 'left'; requestId: string }
  | { type: 'failed'; requestId: string; sentence: string; code: ErrorCode | undefined; status: number };

/**
 * One question with its reply so far. The turns of a conversation form a tree. Turns with the same parent are versions of each
 * other: of the reply if they have the same question, of the question otherwise. A continuation is a part of the reply before it.
 */
export type Turn = {
  /** Local to this device; the service does not know it. */
  id: string;
  /** The previous turn; null for a first one. */
  parentId: string | null;
  /** “Try again” sends the same id, so two versions can share it. */
  requestId: string;
  question: string;
  reply: string;
  /** Null while the turn runs. */
  ending: Ending | null;
  /** Milliseconds since the epoch; null if unknown. */
  askedAt: number | null;
  /** Set if the question requests the rest of the previous reply. */
  isContinuation?: true;
};

/** False for a reply of white space only, which models can return. */
export function hasReply(turn: Pick<Turn, 'reply'> | undefined): boolean {
  return turn !== undefined && !isBlank(turn.reply);
}

/**
 * The maximum tokens per character, on average over a reply. In alphabetic languages a token has three to four characters of prose
 * and never much less than two, not even in tables of numbers. A Chinese or Japanese character can be two tokens.
 */
const maxTokensPerCharacter = { alphabet: 0.5, wide: 2 };

/** Chinese, Japanese and Korean characters, with their punctuation. */
const wide = /[\u2e80-\ud7ff\uf900-\ufaff\uff00-\uffef]/g;

/** Characters that can follow the punctuation of a sentence: closing quotation marks, brackets and Markdown marks. */
const closing = /[\s"'”’»›“)\]}」』）】*_~`]/;

const sentenceEnd = /[.!?…。！？．؟۔]$/;

const fence = /^[ \t>]*(?:[-*+]\s+|\d+[.)]\s+)?(?:`{3,}|~{3,})/;

/**
 * Estimates whether a complete response was cut at its maximum number of tokens, which the protocol does not report: the reply is
 * long enough for that, and ends in the middle of a sentence, table or code block. It can be wrong, so use it only to offer the
 * rest.
 */
export function mayBeTruncated(reply: string, maxTokens: number): boolean {
  return estimateMaxTokens(reply) >= maxTokens && endsMidText(reply.trimEnd());
}

function estimateMaxTokens(reply: string): number {
  const wideCharacters = reply.match(wide)?.length ?? 0;
  return wideCharacters * maxTokensPerCharacter.wide + (reply.length - wideCharacters) * maxTokensPerCharacter.alphabet;
}

function endsMidText(reply: string): boolean {
  const lines = reply.split('\n');
  const last = lines.at(-1)?.trim() ?? '';
  const fences = lines.filter((line) => fence.test(line)).length;
  if (fences % 2 === 1) return true;
  if (last.startsWith('|')) return !last.endsWith('|') || last === '|';
  if (fence.test(last) || last.endsWith('$$')) return false;
  return !sentenceEnd.test(withoutClosing(last));
}

/** A regular expression would restart at each character of a run, and take quadratic time. */
function withoutClosing(line: string): string {
  let end = line.length;
  while (end > 0 && closing.test(line.charAt(end - 1))) end -= 1;
  return line.slice(0, end);
}
