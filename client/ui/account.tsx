import { useLocation } from 'wouter';
import { pages } from '../../shared/interface.ts';
import type { User } from '../session/session.ts';
import { useSignOut } from '../session/sign-out.ts';
import { Button } from './button.tsx';

type AccountProps = {
  user: User;
  /** Called before the page changes: drops what the page itself still holds of the person. */
  onSignedOut: () => void;
};

export function Account({ user, onSignedOut }: AccountProps) {
  const [, navigate] = useLocation();
  const signOut = useSignOut(user.id);
  const leave = () => {
    onSignedOut();
    navigate(pages.demo);
  };

  return (
    <>
      <span className="account">
        <span className="account-organization">{user.organization.name}</span>
        {user.name && <span className="account-name">{user.name}</span>}
      </span>
      <Button kind="quiet" disabled={signOut.isPending} onClick={() => signOut.mutate(undefined, { onSuccess: leave })}>
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
