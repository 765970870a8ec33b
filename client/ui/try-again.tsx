import { type ConversationState, canSend } from '../chat/conversation-state.ts';
import { Button } from './button.tsx';
import { Countdown } from './countdown.tsx';

type TryAgainProps = { state: ConversationState; onTryAgain: () => void };

/** Asks the last question again, as soon as the service takes it. */
export function TryAgain({ state, onTryAgain }: TryAgainProps) {
  const { blockedUntil } = state;
  return (
    <Button disabled={!canSend(state)} onClick={onTryAgain}>
      <span>
        Try again{' '}
        {blockedUntil !== null && (
          <>
            in <Countdown deadline={blockedUntil} />
          </>
        )}
      </span>
    </Button>
  );
}
