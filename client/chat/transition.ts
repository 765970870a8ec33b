import { isBlank } from '../../shared/messages.ts';
import {
  type ConversationState,
  canSend,
  canShowVersion,
  isAnyTurnRunningElsewhere,
  type PendingTurn,
  type Phase,
  pathOf,
  shownTurn,
  stateOf,
  type TurnsState,
} from './conversation-state.ts';
import { type ConversationTree, findTurn, treeOf, withoutTurn, withShownTurn, withTurn } from './conversation-tree.ts';
import {
  type Draft,
  draftFor,
  withAllDequeued,
  withDequeued,
  withEdit,
  withoutEdit,
  withoutQueued,
  withoutSentText,
  withQueued,
  withRefusedQuestion,
} from './draft.ts';
import type { Offline, Retrying, Waiting } from './send-turn.ts';
import { emptyTranscript } from './transcript.ts';
import type { Ending, Turn } from './turn.ts';

/** `at` and `until` are times of the clock's `steadyNow`. */
export type ConversationEvent =
  | { type: 'draftChanged'; text: string }
  /** The user edits the question of the shown turn `turnId`, or of the last turn if undefined. */
  | { type: 'editStarted'; turnId: string | undefined }
  | { type: 'editCancelled' }
  | { type: 'questionQueued'; question: string }
  /** Negative indices count from the end of the queue. */
  | { type: 'questionDequeued'; index: number }
  | { type: 'queuedQuestionRemoved'; index: number }
  | { type: 'turnRequested'; pending: PendingTurn; at: number }
  /** Another turn holds the lock, in another tab or in another conversation. */
  | { type: 'lockUnavailable' }
  | { type: 'turnStarted' }
  | { type: 'phaseChanged'; phase: Waiting | Retrying | Offline; at: number }
  /** `reply` is the complete text so far. */
  | { type: 'replyReceived'; reply: string; at: number }
  | { type: 'conversationNamed'; conversationId: string }
  | { type: 'turnEnded'; ending: Ending }
  | { type: 'turnRefused' }
  | { type: 'turnStopped' }
  | { type: 'pageLeft' }
  | { type: 'cooldownStarted'; until: number }
  | { type: 'cooldownEnded'; until: number }
  | { type: 'versionSelected'; turnId: string }
  | { type: 'merged'; conversationId: string | undefined; tree: ConversationTree }
  | { type: 'replyElsewhereEnded' }
  | { type: 'cleared' };

const idleState = { phase: { name: 'idle' }, pending: null, timing: null } as const;
const starting: Phase = { name: 'starting' };
const streaming: Phase = { name: 'streaming' };

/** Returns the state after the event, or the same object if the event does not apply. */
export function transition(state: ConversationState, event: ConversationEvent): ConversationState {
  const { draft, pending, phase, tree } = state;
  switch (event.type) {
    case 'draftChanged': {
      const wasRefused = draft.wasRefused && event.text !== '';
      return withDraft(state, { ...draft, text: event.text, wasRefused });
    }

    case 'editStarted':
      return startEdit(state, event.turnId);

    case 'editCancelled': {
      const { editedId, text, setAside } = draft;
      if (setAside === null) return state;
      const isReworded = editedId !== null && !isBlank(text);
      return { ...state, draft: withoutEdit(draft), cancelledEdit: isReworded ? { turnId: editedId, text } : null };
    }

    case 'questionQueued':
      return isBlank(event.question) ? state : { ...state, draft: withQueued(draft, event.question) };

    case 'queuedQuestionRemoved':
      return withDraft(state, { ...draft, queued: draft.queued.toSpliced(event.index, 1) });
    case 'questionDequeued': {
      const dequeued = withDequeued(draft, event.index);
      return dequeued === draft ? state : withDraft(state, dequeued);
    }

    case 'turnRequested':
      if (!canSend(state)) return state;
      return {
        ...state,
        ...withActivity(idleState, event.at),
        phase: starting,
        pending: event.pending,
        waitsForOtherTab: false,
      };

    case 'lockUnavailable': {
      if (pending === null || phase.name !== 'starting') return state;
      const queued = pending.origin === 'draft' ? withQueued(draft, pending.turn.question, pending.draftText) : draft;
      return { ...state, ...idleState, waitsForOtherTab: true, draft: queued };
    }

    case 'turnStarted':
      if (pending === null || phase.name !== 'starting') return state;
      return {
        ...state,
        ...withPath(state, withTurn(tree, pending.turn), draftAfterSending(draft, pending)),
        phase: { name: 'waiting', attempt: 1 },
        wasSentAutomatically: pending.isAutomatic,
      };

    case 'phaseChanged':
      if (!isRunning(state)) return state;
      if (event.phase.name === 'offline') return { ...state, phase: event.phase, timing: null };
      return { ...state, phase: event.phase, ...withActivity(state, event.at) };

    case 'replyReceived':
      if (pending === null || !isRunning(state)) return state;
      return {
        ...state,
        ...withLastTurn(state, { ...pending.turn, reply: event.reply }),
        phase: streaming,
        ...withActivity(state, event.at),
      };

    case 'conversationNamed':
      return isRunning(state) ? { ...state, conversationId: event.conversationId } : state;

    case 'turnEnded':
      return endTurn(state, event.ending);

    case 'turnRefused':
      return pending !== null && isRunning(state) ? removeRefusedTurn(state, pending) : state;

    case 'turnStopped':
      return abortTurn(state, { type: 'stopped' });

    case 'pageLeft':
      return pending === null ? state : abortTurn(state, { type: 'left', requestId: pending.turn.requestId });

    case 'cooldownStarted':
      return { ...state, cooldownUntil: event.until };

    case 'cooldownEnded':
      return state.cooldownUntil === event.until ? { ...state, cooldownUntil: null } : state;

    case 'versionSelected':
      if (!canShowVersion(state) || findTurn(tree, event.turnId) === undefined) return state;
      return withPath(state, withShownTurn(tree, event.turnId), draft);

    case 'merged':
      return pending === null ? mergeStored(state, event) : state;

    case 'replyElsewhereEnded':
      return closeTurnsElsewhere(state.waitsForOtherTab ? { ...state, waitsForOtherTab: false } : state);

    case 'cleared':
      return stateOf(emptyTranscript);

    default:
      return event satisfies never;
  }
}

function isRunning({ phase }: ConversationState): boolean {
  return phase.name !== 'idle' && phase.name !== 'starting';
}

function withActivity({ timing }: Pick<TurnsState, 'timing'>, at: number): Pick<TurnsState, 'timing'> {
  return { timing: { since: timing?.since ?? at, lastActivityAt: at } };
}

/** Only queued questions wait for a reply elsewhere, so the wait ends if the queue is empty. */
function withDraft(state: ConversationState, draft: Draft): ConversationState {
  return { ...state, draft, waitsForOtherTab: state.waitsForOtherTab && draft.queued.length > 0 };
}

/**
 * Shows the path of `tree`. Queued questions belong after the last shown turn. If the new path has another question in its place,
 * they return to the draft, because they must not be sent into another branch without an action of the user.
 */
function withPath(state: ConversationState, tree: ConversationTree, draft: Draft): ConversationState {
  const path = pathOf(tree);
  const last = state.turns.at(-1);
  const replacement = path.turns[state.turns.length - 1];
  const isSameBranch =
    last === undefined || (replacement?.question === last.question && replacement.parentId === last.parentId);
  return withDraft({ ...state, ...path }, isSameBranch ? draft : withAllDequeued(draft));
}

function startEdit(state: ConversationState, turnId: string | undefined): ConversationState {
  const { phase, draft, cancelledEdit } = state;
  const edited = shownTurn(state, turnId);
  if (edited === undefined || draft.setAside !== null || phase.name !== 'idle') return state;
  const question = cancelledEdit?.turnId === edited.id ? cancelledEdit.text : edited.question;
  return { ...state, draft: withEdit(draft, edited.id, question), cancelledEdit: null };
}

function draftAfterSending(draft: Draft, { turn: { question }, origin, draftText }: PendingTurn): Draft {
  if (origin === 'queue') return withoutQueued(draft, question);
  return origin === 'action' ? draft : withoutSentText(draft, draftText);
}

/** Replaces the last shown turn. `versions` does not depend on the reply and stays. */
function withLastTurn({ tree, turns }: TurnsState, turn: Turn): Pick<TurnsState, 'tree' | 'turns'> {
  return { tree: withTurn(tree, turn), turns: [...turns.slice(0, -1), turn] };
}

function endTurn(state: ConversationState, ending: Ending): ConversationState {
  const last = state.turns.at(-1);
  if (last === undefined || !isRunning(state)) return state;
  return { ...state, ...withLastTurn(state, { ...last, ending }), ...idleState };
}

/** Ends the running turn, or discards it if it has not started. */
function abortTurn(state: ConversationState, ending: Ending): ConversationState {
  return state.phase.name === 'starting' ? { ...state, ...idleState } : endTurn(state, ending);
}

/** The question of the removed turn returns to the message field, unless another version has it or the turn was a continuation. */
function removeRefusedTurn(
  state: ConversationState,
  { turn, previousShownId, editedId }: PendingTurn,
): ConversationState {
  const { question, parentId } = turn;
  const removed = withoutTurn(state.tree, turn.id);
  const previous = findTurn(removed, previousShownId);
  const tree = previous === undefined ? removed : withShownTurn(removed, previous.id);
  const isInTree = tree.turns.some((other) => other.parentId === parentId && other.question === question);
  const draft = isInTree || turn.isContinuation ? state.draft : withRefusedQuestion(state.draft, question, editedId);
  return { ...state, ...pathOf(tree), ...idleState, draft };
}

/**
 * Merges the turns that another tab has stored. Turns after the last shown one are shown too. A version that was selected in the
 * other tab is shown only if this tab shows no turn, or if its last shown turn was deleted there.
 */
function mergeStored(
  state: ConversationState,
  { conversationId, tree: stored }: ConversationEvent & { type: 'merged' },
): ConversationState {
  const { shownId, earlierShownIds } = state.tree;
  const tree = shownId === null ? stored : treeOf({ ...stored, earlierShownIds });
  const shown = findTurn(tree, shownId);
  // The other tab may have sent the same queued questions.
  const turnsOfOtherTabs = tree.turns.filter(({ id }) => findTurn(state.tree, id) === undefined);
  const draft = turnsOfOtherTabs.reduce((remaining, { question }) => withoutQueued(remaining, question), state.draft);
  return {
    ...state,
    ...pathOf(shown === undefined ? tree : withShownTurn(tree, shown.id)),
    conversationId,
    draft: draftFor(tree, draft),
  };
}

/** Ends running turns whose tab was closed or has crashed. */
function closeTurnsElsewhere(state: ConversationState): ConversationState {
  if (!isAnyTurnRunningElsewhere(state)) return state;
  const closed = state.tree.turns.map((turn): Turn => {
    const { ending, requestId } = turn;
    return ending === null ? { ...turn, ending: { type: 'left', requestId } } : turn;
  });
  return { ...state, ...pathOf({ ...state.tree, turns: closed }) };
}
