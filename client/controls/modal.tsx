import { type ReactNode, useEffect, useRef } from 'react';
import { Button } from './button.tsx';

type ModalProps = {
  label: string;
  className: string;
  /** What closes it is called, in a head with the label; without it, there is no head. */
  closeLabel?: string;
  /** The dialog has closed; the focus is back where it was. */
  onClose: () => void;
  /** Is given what closes the dialog, and what leads on to something else once it has closed. */
  children: (close: () => void, goOn: (step: () => void) => void) => ReactNode;
};

/** A dialog that is open for as long as it is on the page. Escape and a press beside it close it. */
export function Modal({ label, className, closeLabel, onClose, children }: ModalProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const next = useRef<() => void>(undefined);
  const close = () => dialog.current?.close();
  const goOn = (step: () => void) => {
    next.current = step;
    close();
  };
  const closed = () => {
    onClose();
    next.current?.();
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
      onClose={closed}
      // Escape is for the dialog: a running reply below it goes on.
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
      {children(close, goOn)}
    </dialog>
  );
}

/** What each dialog of the page is given. */
export type PageDialogProps = { onClose: () => void };
