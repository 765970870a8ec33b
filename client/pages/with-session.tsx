import type { ReactNode } from 'react';
import { useTranslations } from 'use-intl/react';
import type { Session } from '../../shared/session.ts';
import { Button } from '../controls/button.tsx';
import { Card, Loading } from '../controls/card.tsx';
import { isUnreachable, useSession } from '../session/session.ts';
import { Header } from '../ui/header.tsx';

/** Shows its content once it is known who is signed in, or says that it could not be found out. */
export function WithSession({ children }: { children: (session: Session) => ReactNode }) {
  const t = useTranslations('session');
  const { data, error, isFetching, refetch } = useSession();
  if (data) return children(data);
  return (
    <>
      <Header />
      {error === null ? (
        <Loading />
      ) : (
        <Card heading={t(isUnreachable(error) ? 'unreachable' : 'trouble')}>
          <p role="alert">{t('unknown')}</p>
          <Button kind="primary" onClick={() => refetch()}>
            {t(isFetching ? 'tryingAgain' : 'tryAgain')}
          </Button>
        </Card>
      )}
    </>
  );
}
