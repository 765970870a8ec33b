import { isBlank } from '../../shared/messages.ts';
import { type Clock, createPaced } from './clock.ts';
import type { ConversationState } from './conversation-state.ts';
import { type ConversationTree, turnOf } from './conversation-tree.ts';
import { createStore } from './store.ts';
import type { Turn } from './turn.ts';

/** What a person has typed and not sent. */
export type Draft = {
  /** What is in the message field. */
  draft: string;
  /** While a question is being edited in the message field: the draft that was there before. Otherwise null. */
  setAside: string | null;
  /** The turn whose question is being edited; null where none is. */
  editedId: string | null;
  /** Whether the draft was sent and the service refused to take it. */
  wasRefused: boolean;
  /** The questions in line, the next one first: each is sent when the reply before it has ended whole. */
  queued: readonly string[];
};

export const emptyDraft: Draft = { draft: '', setAside: null, editedId: null, wasRefused: false, queued: [] };

export function isEmptyDraft({ draft, setAside, queued }: Draft): boolean {
  return draft === '' && (setAside ?? '') === '' && queued.length === 0;
}

/** The draft that fits these turns. If the edited question is no longer one of them, its text joins what is in the field. */
export function draftBeside(tree: ConversationTree, kept: Draft): Draft {
  const { draft, setAside, editedId } = kept;
  if (setAside === null) return { ...kept, editedId: null };
  if (turnOf(tree, editedId) !== undefined) return kept;
  return { ...kept, draft: paragraphs(setAside, draft), setAside: null, editedId: null };
}

/** What would be lost with the draft beside these turns: an edited question counts once it is another one. */
export function unsent(turns: readonly Turn[], { draft, setAside, editedId, queued }: Draft): string {
  const edited = setAside === null ? undefined : turns.find(({ id }) => id === editedId);
  return paragraphs(...queued, setAside ?? '', draft === edited?.question ? '' : draft);
}

/** The texts as paragraphs of one. */
export function paragraphs(...texts: string[]): string {
  return texts.filter((text) => text !== '').join('\n\n');
}

/** The questions in line once `question` is no longer one of them. */
export function without(queued: readonly string[], question: string): readonly string[] {
  const index = queued.indexOf(question);
  return index === -1 ? queued : queued.toSpliced(index, 1);
}

/** Whether a question can be put in line now: a reply is awaited, and no question is being edited. */
export function canQueue({ phase }: ConversationState, { setAside }: Draft): boolean {
  return phase.name !== 'idle' && phase.name !== 'sending' && setAside === null;
}

/** The message field of a conversation, as something to watch: it owns the draft and keeps it. */
export type Composer = {
  /** A new object after every change. */
  getState(): Draft;
  /** Calls `listener` after every change of the draft until the returned function is called. */
  subscribe(listener: () => void): () => void;
  /** Changes what is in the message field. */
  setDraft(draft: string): void;
  /**
   * Brings the question of the shown turn `turnId`, or the last one, into the field, to be sent as another version: as the
   * person has left it reworded, if they have. The draft is put aside. While one is being edited already, or a turn runs,
   * nothing happens.
   */
  edit(turnId?: string): void;
  /** Leaves the question as it is; the draft is back. Another edit of the question begins with what was typed. */
  cancelEdit(): void;
  /**
   * Puts a question in line while a reply is awaited, behind those that are there: it is sent by itself as a turn of its own when
   * the reply before it has ended whole, and not cut. Otherwise it waits for `sendQueued`. Does nothing unless `canQueue` says yes.
   */
  queue(question: string): void;
  /** Takes a question in line, the last one unless `index` names another, back into the message field. */
  takeBack(index?: number): void;
};

/** What the conversation itself does with the draft. */
export type ConversationComposer = Composer & {
  /** Changes the draft as the conversation does: nothing is kept by that. */
  update(changes: Partial<Draft>): void;
  /** What was typed, or stood in line, is on its way as `question`; what was put aside for it comes back. */
  sent(question: string, from: 'field' | 'line'): void;
  /** Puts a question in line that could not be sent at once. */
  putInLine(question: string): void;
  keep(): void;
};

type ComposerParts = {
  kept: Draft;
  clock: Clock;
  /** The state of the conversation, and what changes it. */
  getConversation: () => ConversationState;
  updateConversation: (changes: Partial<ConversationState>) => void;
  save: (draft: Draft) => void;
};

export function createComposer(parts: ComposerParts): ConversationComposer {
  const { kept, clock, getConversation, updateConversation, save } = parts;
  const { getState, subscribe, update } = createStore<Draft>(kept);
  const keepSoon = createPaced(clock, 500, keep);
  /** The last rewording that was left unsent, and of which question. */
  let left: { turnId: string; draft: string } | undefined;

  function keep(): void {
    keepSoon.callOff();
    save(getState());
  }

  function change(changes: Partial<Draft>): void {
    update(changes);
    keep();
  }

  function putInLine(question: string): void {
    const { draft, queued } = getState();
    change({ queued: [...queued, question], ...(draft === question && { draft: '', wasRefused: false }) });
  }

  return {
    getState,
    subscribe,
    update,
    keep,
    putInLine,

    setDraft(draft) {
      update({ draft, wasRefused: getState().wasRefused && draft !== '' });
      // A question in line still waits for the reply elsewhere.
      if (getConversation().isBusyElsewhere && getState().queued.length === 0)
        updateConversation({ isBusyElsewhere: false });
      keepSoon.ask();
    },

    edit(turnId) {
      const { turns, phase } = getConversation();
      const { draft, setAside } = getState();
      const edited = turnId === undefined ? turns.at(-1) : turns.find(({ id }) => id === turnId);
      if (edited === undefined || setAside !== null || phase.name !== 'idle') return;
      const question = left?.turnId === edited.id ? left.draft : edited.question;
      left = undefined;
      change({ draft: question, setAside: draft, editedId: edited.id, wasRefused: false });
    },

    cancelEdit() {
      const { setAside, editedId, draft } = getState();
      if (setAside === null) return;
      left = editedId === null || draft.trim() === '' ? undefined : { turnId: editedId, draft };
      change({ draft: setAside, setAside: null, editedId: null, wasRefused: false });
    },

    queue(question) {
      if (!isBlank(question) && canQueue(getConversation(), getState())) putInLine(question);
    },

    takeBack(index = -1) {
      const { draft, setAside, queued } = getState();
      const question = queued.at(index);
      if (question === undefined) return;
      const rest = queued.toSpliced(index, 1);
      if (setAside === null) change({ queued: rest, draft: paragraphs(question, draft) });
      else change({ queued: rest, setAside: paragraphs(question, setAside) });
      if (rest.length === 0 && getConversation().isBusyElsewhere) updateConversation({ isBusyElsewhere: false });
    },

    sent(question, from) {
      const { draft, setAside, queued } = getState();
      if (from === 'line') update({ queued: without(queued, question) });
      if (from === 'field' && draft === question)
        update({ draft: setAside ?? '', setAside: null, editedId: null, wasRefused: false });
    },
  };
}
