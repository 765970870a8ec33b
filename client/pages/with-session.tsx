import type { ReactNode } from 'react';
import type { Session } from '../../shared/session.ts';
import { isUnreachable, useSession } from '../session/session.ts';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { Header } from '../ui/header.tsx';
import { Loading } from '../ui/loading.tsx';

/** Shows its content once it is known who is signed in, or says that it could not be found out. */
export function WithSession({ children }: { children: (session: Session) => ReactNode }) {
  const { data, error, isFetching, refetch } = useSession();
  if (data) return children(data);
  return (
    <>
      <Header />
      {error === null ? (
        <Loading />
      ) : (
        <Card heading={isUnreachable(error) ? 'The service cannot be reached' : 'The service has a problem'}>
          <p role="alert">We could not find out whether you are signed in. We keep trying, and you can try now.</p>
          <Button kind="primary" onClick={() => refetch()}>
            {isFetching ? 'Trying again…' : 'Try again'}
          </Button>
        </Card>
      )}
    </>
  );
}
