import { type ReactNode, useEffect, useRef } from 'react';
import { Button } from './button.tsx';

type ModalProps = {
  label: string;
  className: string;
  /** The text of the close button in the header. Without it the dialog has no header. */
  closeLabel?: string;
  /** Called after the focus has returned to the element that had it before. */
  onClose: () => void;
  /** `closeThen` closes the dialog and then runs `next`, which can open another one. */
  children: (close: () => void, closeThen: (next: () => void) => void) => ReactNode;
};

/** A dialog that is open while it is mounted. Escape and a click outside close it. */
export function Modal({ label, className, closeLabel, onClose, children }: ModalProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const afterClose = useRef<() => void>(undefined);
  const close = () => dialog.current?.close();
  const closeThen = (next: () => void) => {
    afterClose.current = next;
    close();
  };
  const handleClose = () => {
    onClose();
    afterClose.current?.();
  };

  useEffect(() => {
    if (dialog.current?.open === false) dialog.current.showModal();
  }, []);

  return (
    <dialog
      ref={dialog}
      className={className}
      aria-label={label}
      closedby="any"
      onClose={handleClose}
      // If the event propagated, Escape would also stop the running reply.
      onKeyDown={(event) => event.key === 'Escape' && event.stopPropagation()}
    >
      {closeLabel && (
        <div className="drawer-head">
          <h2>{label}</h2>
          <Button kind="quiet" onClick={close}>
            {closeLabel}
          </Button>
        </div>
      )}
      {children(close, closeThen)}
    </dialog>
  );
}

export type PageDialogProps = { onClose: () => void };
