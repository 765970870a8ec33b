import { useTranslations } from 'use-intl/react';
import type { Retrying } from '../chat/send-turn.ts';
import { Button } from '../controls/button.tsx';
import { Countdown } from '../controls/countdown.tsx';
import { Notice } from '../controls/notice.tsx';
import { useRetryReason } from './use-retry-reason.ts';

/** Says that the turn will be sent again by itself, and when. A wait that the service asked for cannot be cut short. */
export function RetryNotice({ retrying, onCancel }: { retrying: Retrying; onCancel: () => void }) {
  const say = useTranslations('retrying');
  const reason = useRetryReason();
  const { attempt, attempts, resumesAt, retryNow } = retrying;
  return (
    <Notice tone="calm">
      <p>
        {reason(retrying)}{' '}
        {say.rich('again', { countdown: () => <Countdown deadline={resumesAt} />, attempt, attempts })}
      </p>
      {retryNow && <Button onClick={retryNow}>{say('now')}</Button>}
      <Button onClick={onCancel}>{say('cancel')}</Button>
    </Notice>
  );
}
