import type { ErrorCode } from '../../shared/errors.ts';
import { isBlank } from '../../shared/messages.ts';

/**
 * The ending of a turn: `interrupted` if the connection was lost, `left` if its page was closed. Operators find the request in the log
 * by `requestId`. Pages translate a failure by `code` and `status`, and `sentence` is its English text. `code` is undefined if the
 * error is not a documented one. `status` is the HTTP status (200 if the error came after the first text).
 */
export type Ending =
  | { type: 'done' }
  | { type: 'stopped' }
  | { type: 'interrupted'; requestId: string }
  | { type: 'left'; requestId: string }
  | { type: 'failed'; requestId: string; sentence: string; code: ErrorCode | undefined; status: number };

/**
 * One question with its reply so far. The turns of a conversation form a tree. Turns with the same parent, except
 * continuations, are versions of each other: of the reply if they have the same question, of the question otherwise. A continuation
 * extends the reply before it.
 */
export type Turn = {
  /** Local to this device; the service does not know it. */
  id: string;
  /** The previous turn; null for the first turn and its versions. */
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
  /** Set if the turn comes from a file, which anyone may have changed, and not from the service. */
  isImported?: true;
};

/** A reply of white space only, which models can return, counts as none. */
export function hasReply(turn: Pick<Turn, 'reply'> | undefined): boolean {
  return turn !== undefined && !isBlank(turn.reply);
}
