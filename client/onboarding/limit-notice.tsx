import { useEffect } from 'react';
import { tooManyFormsSentence } from '../../shared/errors.ts';
import { Countdown } from '../ui/countdown.tsx';
import { Notice } from '../ui/notice.tsx';

/** Says until when the service takes no form from this network; `onOver` is called then. */
export function LimitNotice({ resumesAt, onOver }: { resumesAt: number; onOver: () => void }) {
  useEffect(() => {
    const timer = setTimeout(onOver, resumesAt - Date.now());
    return () => clearTimeout(timer);
  }, [resumesAt, onOver]);

  return (
    <Notice tone="warning">
      {tooManyFormsSentence} Nothing is lost. You can send it in <Countdown deadline={resumesAt} />.
    </Notice>
  );
}
