import { useSyncExternalStore } from 'react';
import { useTranslations } from 'use-intl/react';
import { isUnreachable, useSession } from '../session/session.ts';

/** Says that nothing can be sent at present; gone again once the session could be read. */
export function OfflineNotice() {
  const say = useTranslations('session');
  const isOnline = useSyncExternalStore(subscribe, () => navigator.onLine);
  const { error } = useSession();
  return (
    <div role="status">
      {(!isOnline || isUnreachable(error)) && <p className="offline">{say(isOnline ? 'unreachableNow' : 'offline')}</p>}
    </div>
  );
}

function subscribe(onChange: () => void): () => void {
  window.addEventListener('online', onChange);
  window.addEventListener('offline', onChange);
  return () => {
    window.removeEventListener('online', onChange);
    window.removeEventListener('offline', onChange);
  };
}
