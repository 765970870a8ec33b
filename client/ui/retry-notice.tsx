import type { Retrying } from '../chat/send-turn.ts';
import { Button } from './button.tsx';
import { Countdown } from './countdown.tsx';
import { Notice } from './notice.tsx';

/** Says that the turn will be sent again by itself, and when. A wait that the service asked for cannot be cut short. */
export function RetryNotice({ retrying, onCancel }: { retrying: Retrying; onCancel: () => void }) {
  const { reason, attempt, attempts, resumesAt, retryNow } = retrying;
  return (
    <Notice tone="calm">
      <p>
        {reason} Trying again in <Countdown deadline={resumesAt} /> (attempt {attempt} of {attempts})
      </p>
      {retryNow && <Button onClick={retryNow}>Try now</Button>}
      <Button onClick={onCancel}>Cancel</Button>
    </Notice>
  );
}
