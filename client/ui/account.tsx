import type { User } from '../session/session.ts';
import { useSignOut } from '../session/sign-out.ts';
import { Button } from './button.tsx';

/** Who is signed in, and the way out; `onSignedOut` as `useSignOut` has it. */
export function Account({ user, onSignedOut }: { user: User; onSignedOut?: () => void }) {
  const signOut = useSignOut(user.id, onSignedOut);
  return (
    <>
      <span className="account">
        <span className="account-organization">{user.organization.name}</span>
        {user.name && <span className="account-name">{user.name}</span>}
      </span>
      <Button kind="quiet" disabled={signOut.isPending} onClick={() => signOut.mutate()}>
        Sign out
      </Button>
      {signOut.isError && (
        <span className="field-error" role="alert">
          Signing out failed. Try again.
        </span>
      )}
    </>
  );
}
