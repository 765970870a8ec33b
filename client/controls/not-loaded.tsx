import { useTranslations } from 'use-intl/react';
import { Button } from './button.tsx';
import { Modal, type PageDialogProps } from './modal.tsx';

/** Replaces a dialog whose code could not be fetched: offline, or after a deployment that removed its file. */
export function NotLoaded({ onClose }: PageDialogProps) {
  const t = useTranslations('commands');
  const tProblem = useTranslations('problem');
  return (
    <Modal label={t('notLoaded')} className="modal" onClose={onClose}>
      {(close) => (
        <>
          <p role="alert">{t('notLoaded')}</p>
          <div className="modal-choices">
            <Button onClick={close}>{t('close')}</Button>
            <Button kind="primary" onClick={() => window.location.reload()}>
              {tProblem('reload')}
            </Button>
          </div>
        </>
      )}
    </Modal>
  );
}
