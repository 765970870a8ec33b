import { type ConversationTree, shownPath, turnOf } from './conversation-tree.ts';
import type { Turn } from './turn.ts';

/** What a person has typed and not sent. */
export type Typed = {
  /** What is in the message field. */
  draft: string;
  /** While a question is being edited in the message field: the draft that was there before. Otherwise null. */
  setAside: string | null;
  /** The turn whose question is being edited; null where none is. */
  editedId: string | null;
  /** Whether the draft was sent and the service refused to take it. */
  wasRefused: boolean;
};

export const nothingTyped: Typed = { draft: '', setAside: null, editedId: null, wasRefused: false };

export function isNothing({ draft, setAside }: Typed): boolean {
  return draft === '' && (setAside ?? '') === '';
}

/** The typed text that fits these turns. If the edited question is no longer one of them, its text joins the draft. */
export function typedBeside(tree: ConversationTree, { draft, setAside, editedId, wasRefused }: Typed): Typed {
  if (setAside === null) return { draft, setAside, editedId: null, wasRefused };
  // The release before did not keep which question it is: it was always the last one.
  const edited = editedId === null ? shownPath(tree).at(-1) : turnOf(tree, editedId);
  if (edited !== undefined) return { draft, setAside, editedId: edited.id, wasRefused };
  return { draft: paragraphs(setAside, draft), setAside: null, editedId: null, wasRefused };
}

/** What would be lost with what is typed beside these turns: an edited question counts once it is another one. */
export function unsent(turns: readonly Turn[], { draft, setAside, editedId }: Typed): string {
  const edited = setAside === null ? undefined : turns.find(({ id }) => id === editedId);
  return paragraphs(setAside ?? '', draft === edited?.question ? '' : draft);
}

/** The texts as paragraphs of one. */
export function paragraphs(...texts: string[]): string {
  return texts.filter((text) => text !== '').join('\n\n');
}
