import { useState } from 'react';
import { useTranslations } from 'use-intl/react';
import type { ConversationState } from '../chat/conversation-state.ts';
import { useRetryReason } from './use-retry-reason.ts';

/** Tells screen readers where a reply begins and ends; its words in between would drown everything else. */
export function Announcement({ state }: { state: ConversationState }) {
  const say = useTranslations('announcements');
  const retry = useRetryReason();
  const last = state.turns.at(-1);
  const [watchedId, setWatchedId] = useState(last?.id);
  // Another version that is shown has not just ended.
  if (last !== undefined && last.ending === null && last.id !== watchedId) setWatchedId(last.id);

  const announcement = () => {
    const { phase } = state;
    if (phase.name === 'streaming') return say('started');
    if (phase.name === 'retrying') return say('sentAgain', { reason: retry(phase), seconds: phase.waitSeconds });
    if (phase.name !== 'idle' || last?.id !== watchedId) return '';
    if (last?.ending?.type === 'done') return say('finished');
    return last?.ending?.type === 'stopped' ? say('stopped') : '';
  };
  return (
    <p className="visually-hidden" role="status">
      {announcement()}
    </p>
  );
}
