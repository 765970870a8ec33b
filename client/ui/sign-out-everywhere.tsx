import { useTranslations } from 'use-intl/react';
import { routes } from '../../shared/interface.ts';
import { Button } from '../controls/button.tsx';
import { Modal } from '../controls/modal.tsx';
import { useSignOut } from '../session/sign-out.ts';
import type { AccountProps } from './account-props.ts';
import { LeavingData } from './leaving-data.tsx';

type SignOutEverywhereProps = AccountProps & { onClose: () => void };

/** Asks before every session of the person ends: some of them may be in use. */
export function SignOutEverywhere({ user, list, onSignedOut, onClose }: SignOutEverywhereProps) {
  const say = useTranslations('signOut');
  const signOut = useSignOut(routes.signOutEverywhere, user.id, onSignedOut);
  return (
    <Modal label={say('everywhereHeading')} className="modal" onClose={onClose}>
      {(close) => (
        <>
          <h2>{say('everywhereHeading')}</h2>
          <p>{say('everywhereLead')}</p>
          <p className="aside">{say('everywhereOthers')}</p>
          {list && <LeavingData list={list} />}
          {signOut.isError && (
            <p className="field-error" role="alert">
              {say('failed')}
            </p>
          )}
          <div className="modal-choices">
            <Button onClick={close}>{say('cancel')}</Button>
            <Button kind="primary" disabled={signOut.isPending} onClick={() => signOut.mutate()}>
              {say('everywhereConfirm')}
            </Button>
          </div>
        </>
      )}
    </Modal>
  );
}
