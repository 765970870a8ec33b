import type { ReactNode } from 'react';
import type { Session } from '../../shared/session.ts';
import { useSession } from '../session/session.ts';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';

/** Shows its content once it is known who is signed in, or says that it could not be found out. */
export function WithSession({ children }: { children: (session: Session) => ReactNode }) {
  const { data, isError, isFetching, refetch } = useSession();
  if (data) return children(data);
  if (!isError) return <p className="loading">Loading…</p>;
  return (
    <Card heading="The service cannot be reached">
      <p role="alert">We could not find out whether you are signed in.</p>
      <Button kind="primary" disabled={isFetching} onClick={() => refetch()}>
        Try again
      </Button>
    </Card>
  );
}
