import type { ReactNode } from 'react';
import { useTranslations } from 'use-intl/react';
import type { Conversation } from '../chat/conversation.ts';
import type { Phase } from '../chat/conversation-state.ts';
import { duration } from '../controls/duration.ts';
import { useWaitingTime } from './use-waiting-time.ts';

type RunningPhase = Phase & { name: 'sending' | 'waiting' | 'streaming' };

/** What the running turn is doing, for how long already, and whether that is longer than usual. */
export function Progress({ conversation, phase }: { conversation: Conversation; phase: RunningPhase }) {
  const say = useTranslations('waiting');
  const { seconds, delay } = useWaitingTime(conversation);
  return (
    <>
      <ThinkingDots>
        <Doing phase={phase} seconds={seconds} />
      </ThinkingDots>
      {/* There before it has something to say: screen readers tell of changes only. */}
      <p className="waiting-long" role="status">
        {delay && say(delay === 'reply' ? 'longReply' : 'longMore')}
      </p>
    </>
  );
}

function Doing({ phase, seconds }: { phase: RunningPhase; seconds: number | null }) {
  const say = useTranslations('waiting');
  const sayTime = useTranslations('duration');
  const time = seconds === null ? undefined : duration(sayTime, seconds);
  if (phase.name === 'sending') return say('sending');
  if (phase.name === 'streaming') return time === undefined ? say('writing') : say('writingFor', { time });
  const { attempt } = phase;
  if (attempt > 1)
    return time === undefined ? say('tryingAgain', { attempt }) : say('tryingAgainFor', { attempt, time });
  return time === undefined ? say('thinking') : say('thinkingFor', { time });
}

/** Something that is going on. */
export function ThinkingDots({ children }: { children: ReactNode }) {
  return (
    <p className="thinking">
      <span className="thinking-dots" aria-hidden="true">
        <i />
        <i />
        <i />
      </span>
      <span className="thinking-words">{children}</span>
    </p>
  );
}
