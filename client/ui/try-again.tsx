import { useTranslations } from 'use-intl/react';
import { type ConversationState, canSend } from '../chat/conversation-state.ts';
import { Button } from '../controls/button.tsx';
import { Countdown } from '../controls/countdown.tsx';
import { useTimeOfLater } from './use-time-of-later.ts';

type TryAgainProps = { state: ConversationState; onTryAgain: () => void };

/** Asks the last question again, as soon as the service takes it. */
export function TryAgain({ state, onTryAgain }: TryAgainProps) {
  const say = useTranslations('problem');
  const { blockedUntil } = state;
  return (
    <Button disabled={!canSend(state)} onClick={onTryAgain}>
      <span>{blockedUntil === null ? say('tryAgain') : <TryAgainLater deadline={blockedUntil} />}</span>
    </Button>
  );
}

function TryAgainLater({ deadline }: { deadline: number }) {
  const say = useTranslations('problem');
  const time = useTimeOfLater(deadline);
  if (time !== undefined) return say('tryAgainAt', { time });
  return say.rich('tryAgainIn', { countdown: () => <Countdown deadline={deadline} /> });
}
