import { routes } from '../../shared/interface.ts';
import { useSignOut } from '../session/sign-out.ts';
import type { AccountProps } from './account.tsx';
import { Button } from './button.tsx';
import { LeavingData } from './leaving-data.tsx';
import { Modal } from './modal.tsx';

type SignOutEverywhereProps = AccountProps & { onClose: () => void };

/** Asks before every session of the person ends: some of them may be in use. */
export function SignOutEverywhere({ user, list, onSignedOut, onClose }: SignOutEverywhereProps) {
  const signOut = useSignOut(routes.signOutEverywhere, user.id, onSignedOut);
  return (
    <Modal label="Sign out on all devices?" className="modal" onClose={onClose}>
      {(close) => (
        <>
          <h2>Sign out on all devices?</h2>
          <p>Every browser and device where you are signed in is signed out, this one too. Replies under way end.</p>
          <p className="aside">Other devices keep their conversations, and show them when you sign in there again.</p>
          {list && <LeavingData list={list} />}
          {signOut.isError && (
            <p className="field-error" role="alert">
              Signing out failed. Try again.
            </p>
          )}
          <div className="modal-choices">
            <Button onClick={close}>Cancel</Button>
            <Button kind="primary" disabled={signOut.isPending} onClick={() => signOut.mutate()}>
              Sign out everywhere
            </Button>
          </div>
        </>
      )}
    </Modal>
  );
}
