import { setTimeout as delay } from 'node:timers/promises';
import type { Conversation } from '../../../client/chat/conversation.ts';
import { canSend } from '../../../client/chat/conversation-state.ts';
import { questionMark } from '../marks.ts';
import type { TurnPlan } from '../plan/turn-plan.ts';
import type { Asker, Attempt, Question } from '../records.ts';

/** Longer than the retry table, a `Retry-After` and the slowest reply together. */
const stuckMilliseconds = 240_000;

type Parts = { questions: Question[]; attempts: Attempt[] };

/** One person's turn, from the question to where they leave it at: read to the end, stopped, left, or tried again. */
export async function takeTurn(
  conversation: Conversation,
  { turn, asker, plan }: { turn: number; asker: Asker; plan: TurnPlan },
  { questions, attempts }: Parts,
): Promise<void> {
  const text = `${questionMark(turn)} ${plan.words}`;
  const question: Question = { turn, asker, text, shown: null };
  questions.push(question);

  const inPlace = plan.asking === 'in the place of the last' && conversation.getState().turns.length > 0;
  if (inPlace) conversation.edit();
  const isStuck = await ended(conversation, plan, () => conversation.send(text));
  if (!inPlace || isStuck) question.shown = shownBy(conversation, attemptsOf(turn, attempts), isStuck);

  for (let again = 0; again < plan.triesAgain && wantsMore(conversation, text); again += 1) {
    await delay(plan.patienceMilliseconds);
    if (!canSend(conversation.getState())) break;
    const isStuckAgain = await ended(conversation, plan, () => conversation.tryAgain());
    if (isStuckAgain) question.shown = shownBy(conversation, attemptsOf(turn, attempts), true);
  }
  conversation.cancelEdit();
}

/** Does `ask` and, while it runs, what the plan says about leaving. Resolves with whether it came to no end. */
async function ended(conversation: Conversation, plan: TurnPlan, ask: () => Promise<unknown>): Promise<boolean> {
  const over = new AbortController();
  const callOff = leaveAsPlanned(conversation, plan);
  const stuck = delay(stuckMilliseconds, true, { signal: over.signal }).catch(() => false);
  const isStuck = await Promise.race([ask().then(() => false), stuck]);
  over.abort();
  callOff();
  if (isStuck) conversation.stop();
  return isStuck;
}

function leaveAsPlanned(conversation: Conversation, { leaving }: TurnPlan): () => void {
  if (leaving === null) return () => {};
  const go = () => conversation[leaving.how]();
  if ('afterMilliseconds' in leaving) {
    const timer = setTimeout(go, leaving.afterMilliseconds);
    return () => clearTimeout(timer);
  }
  return conversation.subscribe(() => {
    const { phase, turns } = conversation.getState();
    if (phase.name === 'streaming' && (turns.at(-1)?.reply.length ?? 0) >= leaving.afterCharacters) go();
  });
}

function attemptsOf(turn: number, attempts: readonly Attempt[]): number {
  return attempts.filter((attempt) => attempt.turn === turn).length;
}

function shownBy({ getState }: Conversation, attempts: number, stuck: boolean): Question['shown'] {
  const { turns, wasRefused } = getState();
  // The question is back in the message field.
  if (wasRefused) return { attempts, ending: 'refused', reply: '', stuck };
  const last = turns.at(-1);
  return { attempts, ending: last?.ending?.type ?? 'nothing', reply: last?.reply ?? '', stuck };
}

/** Whether this question stands there without a whole reply, so that the person is offered to try again. */
function wantsMore({ getState }: Conversation, text: string): boolean {
  const { turns, setAside } = getState();
  const last = turns.at(-1);
  return last?.question === text && last.ending?.type !== 'done' && setAside === null;
}
