import { type ReactNode, useMemo } from 'react';
import type { Conversation } from '../chat/conversation.ts';
import { type ConversationState, isWrittenElsewhere, type Phase } from '../chat/conversation-state.ts';
import { exceedsHistory } from '../chat/history.ts';
import type { AskTurn } from '../turns/use-turn.ts';
import { EndingNotice } from './ending-notice.tsx';
import { RetryNotice } from './retry-notice.tsx';
import { TryAgain } from './try-again.tsx';
import { TurnActions } from './turn-actions.tsx';

type TurnStatusProps = { conversation: Conversation; state: ConversationState; turn: AskTurn };

/** What goes on below the last turn: what it is doing, that it is about to be sent again, or how it ended and what now. */
export function TurnStatus({ conversation, state, turn }: TurnStatusProps) {
  const { phase, turns, setback } = state;
  const last = turns.at(-1);
  if (phase.name === 'retrying') return <RetryNotice retrying={phase} onCancel={conversation.stop} />;
  if (phase.name !== 'idle') return <Progress>{progress(phase)}</Progress>;
  if (isWrittenElsewhere(state)) return <Progress>This reply is running in another tab.</Progress>;

  const ending = setback ?? last?.ending;
  return (
    <>
      {ending && ending.type !== 'done' && (
        <EndingNotice ending={ending} hasReply={setback === null && last?.reply !== ''}>
          <TryAgain state={state} onTryAgain={turn.tryAgain} />
        </EndingNotice>
      )}
      {last && <TurnActions state={state} turn={turn} last={last} />}
      <HistoryNotice turns={turns} />
    </>
  );
}

/** Says that the conversation has become too long for all of it to go along with the next question. */
function HistoryNotice({ turns }: Pick<ConversationState, 'turns'>) {
  const isTooLong = useMemo(() => exceedsHistory(turns), [turns]);
  return isTooLong && <p className="aside">Earlier messages are no longer sent along.</p>;
}

function Progress({ children }: { children: ReactNode }) {
  return (
    <p className="thinking">
      <span className="thinking-dots" aria-hidden="true">
        <i />
        <i />
        <i />
      </span>
      {children}
    </p>
  );
}

function progress(phase: Phase & { name: 'sending' | 'waiting' | 'streaming' }): string {
  if (phase.name === 'sending') return 'Sending…';
  if (phase.name === 'streaming') return 'Writing…';
  return phase.attempt === 1 ? 'Thinking…' : `Trying again, attempt ${phase.attempt}…`;
}
