import { isBlank } from '../../shared/messages.ts';
import {
  type ConversationState,
  canSend,
  canShowVersion,
  hasTurnElsewhere,
  type Phase,
  pathOf,
  shownTurn,
  type TurnsState,
} from './conversation-state.ts';
import {
  type ConversationTree,
  emptyTree,
  pathTo,
  showing,
  turnOf,
  withoutTurn,
  withTurn,
} from './conversation-tree.ts';
import {
  type Draft,
  draftFor,
  emptyDraft,
  withDequeued,
  withEdit,
  withoutEdit,
  withoutQueued,
  withQueued,
  withRefused,
} from './draft.ts';
import type { PendingTurn } from './pending-turn.ts';
import type { Offline, Retrying, Waiting } from './send-turn.ts';
import type { Ending, Turn } from './turn.ts';

/** What changes a conversation. Times (`at`, `until`) are milliseconds since the epoch. */
export type ConversationEvent =
  | { type: 'draftChanged'; text: string }
  /** Of the shown turn `turnId`, or of the last one. */
  | { type: 'editStarted'; turnId: string | undefined }
  | { type: 'editCancelled' }
  | { type: 'questionQueued'; question: string }
  /** Negative indices count from the end of the queue. */
  | { type: 'questionDequeued'; index: number }
  | { type: 'turnRequested'; pending: PendingTurn; at: number }
  /** Another turn of this person is running elsewhere. */
  | { type: 'lockUnavailable' }
  | { type: 'turnStarted' }
  | { type: 'phaseChanged'; phase: Waiting | Retrying | Offline; at: number }
  /** `reply` is the whole text so far. */
  | { type: 'replyReceived'; reply: string; at: number }
  | { type: 'conversationNamed'; conversationId: string }
  | { type: 'turnEnded'; ending: Ending }
  | { type: 'turnRefused' }
  | { type: 'turnStopped' }
  | { type: 'pageLeft' }
  | { type: 'serviceBlocked'; until: number }
  | { type: 'blockExpired'; until: number }
  | { type: 'versionSelected'; turnId: string }
  /** Another tab has stored this. */
  | { type: 'merged'; conversationId: string | undefined; tree: ConversationTree }
  | { type: 'replyElsewhereEnded' }
  | { type: 'cleared' };

const idle = { phase: { name: 'idle' }, pending: null, waiting: null } as const;
const sending: Phase = { name: 'sending' };
const streaming: Phase = { name: 'streaming' };

/** The state after the event: the same object if the event does not apply to the state. */
export function transition(state: ConversationState, event: ConversationEvent): ConversationState {
  const { draft, pending, phase, tree } = state;
  switch (event.type) {
    case 'draftChanged': {
      const wasRefused = draft.wasRefused && event.text !== '';
      return withDraft(state, { ...draft, text: event.text, wasRefused });
    }

    case 'editStarted':
      return editing(state, event.turnId);

    case 'editCancelled': {
      const { editedId, text, setAside } = draft;
      if (setAside === null) return state;
      const isReworded = editedId !== null && !isBlank(text);
      return { ...state, draft: withoutEdit(draft), unsentRewording: isReworded ? { turnId: editedId, text } : null };
    }

    case 'questionQueued':
      return isBlank(event.question) ? state : { ...state, draft: withQueued(draft, event.question) };

    case 'questionDequeued': {
      const dequeued = withDequeued(draft, event.index);
      return dequeued === draft ? state : withDraft(state, dequeued);
    }

    case 'turnRequested':
      if (!canSend(state)) return state;
      return { ...state, ...activity(idle, event.at), phase: sending, pending: event.pending, isBusyElsewhere: false };

    case 'lockUnavailable': {
      if (pending === null || phase.name !== 'sending') return state;
      const queued = pending.origin === 'draft' ? withQueued(draft, pending.turn.question) : draft;
      return { ...state, ...idle, isBusyElsewhere: true, draft: queued };
    }

    case 'turnStarted':
      if (pending === null || phase.name !== 'sending') return state;
      return {
        ...state,
        ...pathOf(withTurn(tree, pending.turn)),
        phase: { name: 'waiting', attempt: 1 },
        wasSentAutomatically: pending.isAutomatic,
        draft: sent(draft, pending),
      };

    case 'phaseChanged':
      if (!isRunning(state)) return state;
      if (event.phase.name === 'offline') return { ...state, phase: event.phase, waiting: null };
      return { ...state, phase: event.phase, ...activity(state, event.at) };

    case 'replyReceived':
      if (pending === null || !isRunning(state)) return state;
      return {
        ...state,
        ...withLastTurn(state, { ...pending.turn, reply: event.reply }),
        phase: streaming,
        ...activity(state, event.at),
      };

    case 'conversationNamed':
      return isRunning(state) ? { ...state, conversationId: event.conversationId } : state;

    case 'turnEnded':
      return ended(state, event.ending);

    case 'turnRefused':
      return pending !== null && isRunning(state) ? refused(state, pending) : state;

    case 'turnStopped':
      return aborted(state, { type: 'stopped' });

    case 'pageLeft':
      return pending === null ? state : aborted(state, { type: 'left', requestId: pending.turn.requestId });

    case 'serviceBlocked':
      return { ...state, blockedUntil: event.until };

    case 'blockExpired':
      return state.blockedUntil === event.until ? { ...state, blockedUntil: null } : state;

    case 'versionSelected':
      if (!canShowVersion(state) || turnOf(tree, event.turnId) === undefined) return state;
      return { ...state, ...pathOf(showing(tree, event.turnId)) };

    case 'merged':
      return pending === null ? merged(state, event) : state;

    case 'replyElsewhereEnded':
      return withoutTurnsElsewhere(state.isBusyElsewhere ? { ...state, isBusyElsewhere: false } : state);

    case 'cleared':
      return {
        ...state,
        ...idle,
        ...pathOf(emptyTree),
        conversationId: undefined,
        isBusyElsewhere: false,
        wasSentAutomatically: false,
        draft: emptyDraft,
        unsentRewording: null,
      };

    default:
      return event satisfies never;
  }
}

/** Whether this tab's turn has started. */
function isRunning({ phase }: ConversationState): boolean {
  return phase.name !== 'idle' && phase.name !== 'sending';
}

function activity({ waiting }: Pick<TurnsState, 'waiting'>, at: number): Pick<TurnsState, 'waiting'> {
  return { waiting: { since: waiting?.since ?? at, lastActivityAt: at } };
}

/** The person has changed the draft. A queued question still waits for the reply elsewhere; without one nothing does. */
function withDraft(state: ConversationState, draft: Draft): ConversationState {
  return { ...state, draft, isBusyElsewhere: state.isBusyElsewhere && draft.queued.length > 0 };
}

function editing(state: ConversationState, turnId: string | undefined): ConversationState {
  const { phase, draft, unsentRewording } = state;
  const edited = shownTurn(state, turnId);
  if (edited === undefined || draft.setAside !== null || phase.name !== 'idle') return state;
  const question = unsentRewording?.turnId === edited.id ? unsentRewording.text : edited.question;
  return { ...state, draft: withEdit(draft, edited.id, question), unsentRewording: null };
}

/** The draft once its question, or a queued one, has been sent. */
function sent(draft: Draft, { turn: { question }, origin }: PendingTurn): Draft {
  if (origin === 'queue') return withoutQueued(draft, question);
  return origin !== 'action' && draft.text === question ? withoutEdit(draft) : draft;
}

/** The last shown turn has changed. Which versions there are stays the same, so a growing reply does not derive them again. */
function withLastTurn({ tree, turns }: TurnsState, turn: Turn): Pick<TurnsState, 'tree' | 'turns'> {
  return { tree: withTurn(tree, turn), turns: [...turns.slice(0, -1), turn] };
}

function ended(state: ConversationState, ending: Ending): ConversationState {
  const last = state.turns.at(-1);
  if (last === undefined || !isRunning(state)) return state;
  return { ...state, ...withLastTurn(state, { ...last, ending }), ...idle };
}

/** The turn ends at once. One that has not started leaves no trace. */
function aborted(state: ConversationState, ending: Ending): ConversationState {
  return state.phase.name === 'sending' ? { ...state, ...idle } : ended(state, ending);
}

/** The service has refused the turn: the turn is removed, and its question is in the message field unless another version has it. */
function refused(state: ConversationState, { turn, previousShownId, editedId }: PendingTurn): ConversationState {
  const { question, parentId } = turn;
  const removed = withoutTurn(state.tree, turn.id);
  const tree = turnOf(removed, previousShownId) === undefined ? removed : { ...removed, shownId: previousShownId };
  const isInTree = tree.turns.some((other) => other.parentId === parentId && other.question === question);
  const draft = isInTree ? state.draft : withRefused(state.draft, question, editedId);
  return { ...state, ...pathOf(tree), ...idle, draft };
}

type Stored = { conversationId: string | undefined; tree: ConversationTree };

/**
 * Another tab has stored more of the conversation. Turns that follow the last shown one are shown too. A version that the other tab
 * shows is not: the person has not chosen it here.
 */
function merged(state: ConversationState, { conversationId, tree }: Stored): ConversationState {
  const { shownId } = state.tree;
  const isContinued = shownId === null || pathTo(tree, tree.shownId).some(({ id }) => id === shownId);
  const isRemoved = turnOf(tree, shownId) === undefined;
  // The other tab may have had the same questions in its queue, and sent them.
  const sentElsewhere = tree.turns.filter(({ id }) => turnOf(state.tree, id) === undefined);
  const draft = sentElsewhere.reduce((rest, { question }) => withoutQueued(rest, question), state.draft);
  return {
    ...state,
    ...pathOf(isContinued || isRemoved ? tree : showing(tree, shownId)),
    conversationId,
    draft: draftFor(tree, draft),
  };
}

/** Turns of a tab that was closed or has crashed never get another text. */
function withoutTurnsElsewhere(state: ConversationState): ConversationState {
  if (!hasTurnElsewhere(state)) return state;
  const { turns, shownId } = state.tree;
  const closed = turns.map((turn): Turn => {
    const { ending, requestId } = turn;
    return ending === null ? { ...turn, ending: { type: 'left', requestId } } : turn;
  });
  return { ...state, ...pathOf({ turns: closed, shownId }) };
}
