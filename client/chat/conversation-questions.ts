import { type Asking, after, type Question, takenFromDraft, versionOf } from './asking.ts';
import type { Clock } from './clock.ts';
import { type ConversationState, canSend } from './conversation-state.ts';
import { turnOf } from './conversation-tree.ts';
import type { Outcome } from './outcome.ts';

type QuestionsParts = {
  getState: () => ConversationState;
  clock: Clock;
  createRequestId: () => string;
  /** Runs a turn, and changes the state as `onAsked` says once the question is on its way. */
  run: (asking: Asking, onAsked?: (state: ConversationState) => Partial<ConversationState>) => Promise<Outcome | null>;
};

/** The ways to ask in a conversation. None of them sends anything while `canSend` says no of the state. */
export function createConversationQuestions({ getState, clock, createRequestId, run }: QuestionsParts) {
  function asNew(question: string): Question {
    const id = createRequestId();
    return { id, requestId: id, question, askedAt: clock.now() };
  }

  async function send(question: string): Promise<Outcome | null> {
    const { tree, editedId } = getState();
    if (question.trim() === '' || !canSend(getState())) return null;
    const edited = turnOf(tree, editedId);
    const asking = edited ? versionOf(tree, edited, asNew(question)) : after(tree, asNew(question));
    return run(asking, (state) => takenFromDraft(state, question));
  }

  async function regenerate(): Promise<Outcome | null> {
    const { tree, turns } = getState();
    const last = turns.at(-1);
    if (last === undefined || !canSend(getState())) return null;
    return run(versionOf(tree, last, asNew(last.question)));
  }

  async function tryAgain(): Promise<Outcome | null> {
    const { tree, turns, setback, setAside, draft } = getState();
    const last = turns.at(-1);
    if (last === undefined || !canSend(getState())) return null;
    if (setback !== null && setAside !== null) return send(draft);
    if (last.ending?.type === 'done') return setback === null ? null : regenerate();
    const { question, requestId } = last;
    return run(versionOf(tree, last, { ...asNew(question), requestId }));
  }

  return { send, regenerate, tryAgain };
}
