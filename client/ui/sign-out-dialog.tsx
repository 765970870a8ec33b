import { useTranslations } from 'use-intl/react';
import { Button } from '../controls/button.tsx';
import { Modal } from '../controls/modal.tsx';
import type { ConversationList } from '../conversations/conversations.ts';
import type { useSignOut } from '../session/sign-out.ts';
import { LeavingData } from './leaving-data.tsx';

type SignOutDialogProps = { list: ConversationList; signOut: ReturnType<typeof useSignOut>; onClose: () => void };

/** Asks before a sign-out that removes conversations from this device. */
export function SignOutDialog({ list, signOut, onClose }: SignOutDialogProps) {
  const say = useTranslations('signOut');
  return (
    <Modal label={say('heading')} className="modal" onClose={onClose}>
      {(close) => (
        <>
          <h2>{say('heading')}</h2>
          <LeavingData list={list} />
          {signOut.isError && (
            <p className="field-error" role="alert">
              {say('failed')}
            </p>
          )}
          <div className="modal-choices">
            <Button onClick={close}>{say('cancel')}</Button>
            <Button kind="primary" disabled={signOut.isPending} onClick={() => signOut.mutate()}>
              {say('confirm')}
            </Button>
          </div>
        </>
      )}
    </Modal>
  );
}
