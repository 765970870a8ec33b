import { useTranslations } from 'use-intl/react';
import { Button } from '../ui/button.tsx';
import { Modal } from '../ui/modal.tsx';
import type { PageDialogProps } from './dialog-props.ts';

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
