import type { ErrorCode } from '../../shared/errors.ts';

/**
 * How a turn ended: `interrupted` by the connection, or `left` with the page that showed it. `requestId` is what the person
 * can quote to an operator. Of a failure `code` and `status` say what happened, so that it can be told in any language:
 * `code` is undefined where the service did not name one of its errors, `status` is the HTTP status (200 where the error came
 * after the first text), or 0 where an earlier release kept none. `sentence` says the same in English.
 */
export type Ending =
  | { type: 'done' }
  | { type: 'stopped' }
  | { type: 'interrupted'; requestId: string }
  | { type: 'left'; requestId: string }
  | { type: 'failed'; requestId: string; sentence: string; code: ErrorCode | undefined; status: number };

/**
 * One question and as much of its reply as has been shown. All turns of a conversation form a tree: turns that follow the same
 * one are versions of each other, of its reply where they ask the same question, and of its question otherwise.
 */
export type Turn = {
  /** The turn's own id, which only this device knows. */
  id: string;
  /** The turn that this one follows in the conversation, or null for a first one. */
  parentId: string | null;
  /** The id that the service was asked with. A reply that broke off and the one asked for again share theirs. */
  requestId: string;
  question: string;
  reply: string;
  /** Null while the turn runs. */
  ending: Ending | null;
  /** When it was asked, in milliseconds since the epoch; null where that is not known. */
  askedAt: number | null;
};
