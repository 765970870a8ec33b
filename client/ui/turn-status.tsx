import type { Conversation } from '../chat/conversation.ts';
import type { ConversationState } from '../chat/conversation-state.ts';
import { Button } from './button.tsx';
import { EndingNotice } from './ending-notice.tsx';
import { RetryNotice } from './retry-notice.tsx';

type TurnStatusProps = { conversation: Conversation; state: ConversationState };

/** What goes on below the last turn: it waits, it is about to be sent again, or it ended otherwise than it should. */
export function TurnStatus({ conversation, state }: TurnStatusProps) {
  const { phase, turns, blockedUntil } = state;
  if (phase.name === 'retrying') return <RetryNotice retrying={phase} onCancel={conversation.stop} />;
  if (phase.name === 'waiting') {
    return (
      <p className="thinking">
        <span className="thinking-dots" aria-hidden="true">
          <i />
          <i />
          <i />
        </span>
        {phase.attempt === 1 ? 'Thinking…' : `Trying again, attempt ${phase.attempt}…`}
      </p>
    );
  }
  const last = turns.at(-1);
  if (last === undefined || last.ending === null || last.ending.type === 'done') return null;
  return (
    <EndingNotice ending={last.ending} hasReply={last.reply !== ''}>
      <Button disabled={blockedUntil !== null} onClick={conversation.tryAgain}>
        Try again
      </Button>
    </EndingNotice>
  );
}
