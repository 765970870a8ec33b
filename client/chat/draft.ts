import { type ConversationTree, findTurn } from './conversation-tree.ts';
import type { Turn } from './turn.ts';

export type Draft = {
  /** The text of the message field. */
  text: string;
  /** While a question is being edited, the previous text of the message field; otherwise null. */
  setAside: string | null;
  editedId: string | null;
  wasRefused: boolean;
  /** The queued questions, the next one first. */
  queued: readonly string[];
};

export const emptyDraft: Draft = { text: '', setAside: null, editedId: null, wasRefused: false, queued: [] };

export function isEmptyDraft({ text, setAside, queued }: Draft): boolean {
  return text === '' && (setAside ?? '') === '' && queued.length === 0;
}

/** An edited question counts only if it differs from the original in `turns`. */
export function unsentText(turns: readonly Turn[], { text, setAside, editedId, queued }: Draft): string {
  const edited = setAside === null ? undefined : turns.find(({ id }) => id === editedId);
  return joinParagraphs(...queued, setAside ?? '', text === edited?.question ? '' : text);
}

/** Adapts the draft to the tree. If the edited turn no longer exists, its text is appended to the text that was set aside. */
export function draftFor(tree: ConversationTree, draft: Draft): Draft {
  const { text, setAside, editedId } = draft;
  if (setAside === null) return { ...draft, editedId: null };
  if (findTurn(tree, editedId) !== undefined) return draft;
  return { ...draft, text: joinParagraphs(setAside, text), setAside: null, editedId: null };
}

export function withEdit(draft: Draft, editedId: string, question: string): Draft {
  return { ...draft, text: question, setAside: draft.text, editedId, wasRefused: false };
}

export function withoutEdit(draft: Draft): Draft {
  return { ...draft, text: draft.setAside ?? '', setAside: null, editedId: null, wasRefused: false };
}

/**
 * Removes the text that was sent, and ends the edit if there is one. Text typed since stays; `sentText` is what the field contained
 * at the time.
 */
export function withoutSentText(draft: Draft, sentText: string): Draft {
  const typed = draft.text === sentText ? '' : draft.text;
  return { ...withoutEdit(draft), text: joinParagraphs(draft.setAside ?? '', typed) };
}

/** Appends a question to the queue, and clears the message field unless its text is newer than `sentText`. */
export function withQueued(draft: Draft, question: string, sentText = draft.text): Draft {
  return { ...withoutSentText(draft, sentText), queued: [...draft.queued, question] };
}

/** Moves a queued question back into the draft: before its text or, during an edit, before the text that was set aside. */
export function withDequeued(draft: Draft, index: number): Draft {
  const { text, setAside } = draft;
  const question = draft.queued.at(index);
  if (question === undefined) return draft;
  const queued = draft.queued.toSpliced(index, 1);
  return setAside === null
    ? { ...draft, queued, text: joinParagraphs(question, text) }
    : { ...draft, queued, setAside: joinParagraphs(question, setAside) };
}

export function withAllDequeued(draft: Draft): Draft {
  return draft.queued.reduce((remaining) => withDequeued(remaining, -1), draft);
}

export function withoutQueued(draft: Draft, question: string): Draft {
  const index = draft.queued.indexOf(question);
  return index === -1 ? draft : { ...draft, queued: draft.queued.toSpliced(index, 1) };
}

/** Restores a refused question to the message field: as the edit of the turn `editedId`, or before newer text. */
export function withRefusedQuestion(draft: Draft, question: string, editedId: string | null): Draft {
  const { text, setAside } = draft;
  if (editedId === null) return { ...draft, text: joinParagraphs(question, text), wasRefused: true };
  return { ...draft, text: question, setAside: joinParagraphs(setAside ?? '', text), editedId, wasRefused: true };
}

function joinParagraphs(...texts: string[]): string {
  return texts.filter((text) => text !== '').join('\n\n');
}
