import { useEffect } from 'react';
import { useTranslations } from 'use-intl/react';
import { Countdown } from '../controls/countdown.tsx';
import { Notice } from '../controls/notice.tsx';

/** Says until when the service takes no form from this network; `onOver` is called then. */
export function LimitNotice({ resumesAt, onOver }: { resumesAt: number; onOver: () => void }) {
  const say = useTranslations('onboarding');

  useEffect(() => {
    const timer = setTimeout(onOver, resumesAt - Date.now());
    return () => clearTimeout(timer);
  }, [resumesAt, onOver]);

  return (
    <Notice tone="warning">{say.rich('tooManyForms', { countdown: () => <Countdown deadline={resumesAt} /> })}</Notice>
  );
}
