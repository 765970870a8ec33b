import { useTranslations } from 'use-intl/react';
import type { PageDialogProps } from '../commands/dialog-props.ts';
import { Button } from '../controls/button.tsx';
import { Modal } from '../controls/modal.tsx';

/** Stands in for a dialog that could not be fetched: offline, or after an update of the service. */
export function DialogNotLoaded({ onClose }: PageDialogProps) {
  const say = useTranslations('commands');
  return (
    <Modal label={say('notLoaded')} className="modal" onClose={onClose}>
      {(close) => (
        <>
          <p role="alert">{say('notLoaded')}</p>
          <div className="modal-choices">
            <Button onClick={close}>{say('close')}</Button>
          </div>
        </>
      )}
    </Modal>
  );
}
