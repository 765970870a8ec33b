import { useTranslations } from 'use-intl/react';
import { type ConversationState, canSend } from '../chat/conversation-state.ts';
import { Button } from '../controls/button.tsx';
import { Countdown } from '../controls/countdown.tsx';
import { Icon } from '../controls/icon.tsx';
import { useTimeOfLater } from './use-time-of-later.ts';

type SendButtonProps = { state: ConversationState; onStop: () => void };

/** Sends what is typed; stops the turn while one runs; and while the service takes none, says so and until when. */
export function SendButton({ state, onStop }: SendButtonProps) {
  const say = useTranslations('composer');
  const { draft, phase, blockedUntil } = state;
  if (phase.name !== 'idle') {
    return (
      <Button onClick={onStop} title={say('stopWithKey')}>
        <Icon name="stop" />
        <span className="visually-hidden">{say('stop')}</span>
      </Button>
    );
  }
  return (
    <Button kind="primary" type="submit" disabled={!canSend(state) || draft.trim() === ''}>
      {blockedUntil === null ? (
        <>
          <Icon name="send" />
          <span className="visually-hidden">{say('send')}</span>
        </>
      ) : (
        <SendLater deadline={blockedUntil} />
      )}
    </Button>
  );
}

function SendLater({ deadline }: { deadline: number }) {
  const say = useTranslations('composer');
  const time = useTimeOfLater(deadline);
  if (time !== undefined) return <span>{say('sendAt', { time })}</span>;
  return <span>{say.rich('sendIn', { countdown: () => <Countdown deadline={deadline} /> })}</span>;
}
