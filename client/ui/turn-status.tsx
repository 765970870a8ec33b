import { type ReactNode, useMemo } from 'react';
import type { Conversation } from '../chat/conversation.ts';
import { type ConversationState, canSend, isWrittenElsewhere, type Phase } from '../chat/conversation-state.ts';
import { exceedsHistory } from '../chat/history.ts';
import { Button } from './button.tsx';
import { EndingNotice } from './ending-notice.tsx';
import { Notice } from './notice.tsx';
import { RetryNotice } from './retry-notice.tsx';
import { TurnActions } from './turn-actions.tsx';

type TurnStatusProps = {
  conversation: Conversation;
  state: ConversationState;
  /** What to say where another turn is running, if it is known which. */
  busyNotice?: ReactNode;
};

/** What goes on below the last turn: it waits, it is about to be sent again, or how it ended and what can be done now. */
export function TurnStatus({ conversation, state, busyNotice }: TurnStatusProps) {
  const { phase, turns, setback, isBusyElsewhere } = state;
  const last = turns.at(-1);
  if (phase.name === 'retrying') return <RetryNotice retrying={phase} onCancel={conversation.stop} />;
  if (phase.name === 'sending' || phase.name === 'waiting') return <Progress>{progress(phase)}</Progress>;
  if (phase.name === 'streaming') return null;
  if (isWrittenElsewhere(state) && !isBusyElsewhere) return <Progress>This reply is running in another tab.</Progress>;

  const ending = setback ?? last?.ending;
  return (
    <>
      {ending && ending.type !== 'done' && (
        <EndingNotice ending={ending} hasReply={setback === null && last?.reply !== ''}>
          <Button disabled={!canSend(state)} onClick={conversation.tryAgain}>
            Try again
          </Button>
        </EndingNotice>
      )}
      {last && <TurnActions conversation={conversation} state={state} />}
      {isBusyElsewhere && (
        <Notice tone="error">
          {busyNotice || <p>A reply is running in another tab. Wait for it or stop it there.</p>}
        </Notice>
      )}
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

function progress(phase: Phase & { name: 'sending' | 'waiting' }): string {
  if (phase.name === 'sending') return 'Sending…';
  return phase.attempt === 1 ? 'Thinking…' : `Trying again, attempt ${phase.attempt}…`;
}
