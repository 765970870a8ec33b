import { type ConversationTree, turnOf } from './conversation-tree.ts';
import type { Turn } from './turn.ts';

/** What a person has typed and not sent. */
export type Draft = {
  /** What is in the message field. */
  text: string;
  /** While a question is being edited in the message field: the text that was there before. Otherwise null. */
  setAside: string | null;
  /** The turn whose question is being edited; null if none is. */
  editedId: string | null;
  /** Whether the text was sent and the service refused it. */
  wasRefused: boolean;
  /** The queued questions, the next one first: each is sent when the reply before it is complete. */
  queued: readonly string[];
};

export const emptyDraft: Draft = { text: '', setAside: null, editedId: null, wasRefused: false, queued: [] };

export function isEmptyDraft({ text, setAside, queued }: Draft): boolean {
  return text === '' && (setAside ?? '') === '' && queued.length === 0;
}

/** The text that would be lost with the draft: an edited question counts only if it differs from the original in `turns`. */
export function unsent(turns: readonly Turn[], { text, setAside, editedId, queued }: Draft): string {
  const edited = setAside === null ? undefined : turns.find(({ id }) => id === editedId);
  return paragraphs(...queued, setAside ?? '', text === edited?.question ? '' : text);
}

/** The draft for these turns. If the edited question is no longer one of them, its text joins the text that was set aside. */
export function draftFor(tree: ConversationTree, draft: Draft): Draft {
  const { text, setAside, editedId } = draft;
  if (setAside === null) return { ...draft, editedId: null };
  if (turnOf(tree, editedId) !== undefined) return draft;
  return { ...draft, text: paragraphs(setAside, text), setAside: null, editedId: null };
}

/** `question` is in the message field to be edited; the text that was there is set aside. */
export function withEdit(draft: Draft, editedId: string, question: string): Draft {
  return { ...draft, text: question, setAside: draft.text, editedId, wasRefused: false };
}

/** The text that was set aside is back in the message field. */
export function withoutEdit(draft: Draft): Draft {
  return { ...draft, text: draft.setAside ?? '', setAside: null, editedId: null, wasRefused: false };
}

/** Adds a question at the end of the queue; if it is the text of the message field, that becomes empty. */
export function withQueued(draft: Draft, question: string): Draft {
  const queued = [...draft.queued, question];
  return draft.text === question ? { ...draft, queued, text: '', wasRefused: false } : { ...draft, queued };
}

/** Moves a queued question before the text of the message field, or before the text set aside while a question is edited. */
export function withDequeued(draft: Draft, index: number): Draft {
  const { text, setAside } = draft;
  const question = draft.queued.at(index);
  if (question === undefined) return draft;
  const queued = draft.queued.toSpliced(index, 1);
  return setAside === null
    ? { ...draft, queued, text: paragraphs(question, text) }
    : { ...draft, queued, setAside: paragraphs(question, setAside) };
}

/** Removes the question from the queue, if it is there. */
export function withoutQueued(draft: Draft, question: string): Draft {
  const index = draft.queued.indexOf(question);
  return index === -1 ? draft : { ...draft, queued: draft.queued.toSpliced(index, 1) };
}

/** The refused question is in the message field again: as the edit of the turn `editedId`, or before the text typed since. */
export function withRefused(draft: Draft, question: string, editedId: string | null): Draft {
  const { text, setAside } = draft;
  if (editedId === null) return { ...draft, text: paragraphs(question, text), wasRefused: true };
  return { ...draft, text: question, setAside: paragraphs(setAside ?? '', text), editedId, wasRefused: true };
}

/** Joins texts as paragraphs. */
function paragraphs(...texts: string[]): string {
  return texts.filter((text) => text !== '').join('\n\n');
}
