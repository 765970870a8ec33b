import { type ReactNode, useState } from 'react';
import { useTranslations } from 'use-intl/react';
import { Button } from '../controls/button.tsx';
import { Card, LoadingPage } from '../controls/card.tsx';
import { isUnreachable, type PageSession, useSession } from '../session/session.ts';
import { Header } from '../ui/page/header.tsx';

type WithSessionProps = {
  children: (session: PageSession) => ReactNode;
  /** The session to use while the service cannot be reached. */
  offlineSession?: PageSession | undefined;
};

export function WithSession({ children, offlineSession }: WithSessionProps) {
  const t = useTranslations('session');
  const tCommand = useTranslations('commands');
  const { data, error, isFetching, refetch } = useSession();
  // Stays true during a retry, which resets the error and must not unmount the page.
  const [isOffline, setIsOffline] = useState(false);
  if (!isOffline && isUnreachable(error)) setIsOffline(true);
  const session = data ?? (isOffline ? offlineSession : undefined);
  if (session) return children(session);
  return (
    <>
      <Header />
      {error === null ? (
        <LoadingPage />
      ) : (
        <Card heading={t(isUnreachable(error) ? 'unreachable' : 'trouble')}>
          <p role="alert">{t('unknown')}</p>
          <Button kind="primary" onClick={() => refetch()}>
            {isFetching ? t('tryingAgain') : tCommand('tryAgain')}
          </Button>
        </Card>
      )}
    </>
  );
}
