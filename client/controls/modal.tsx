import { type MouseEvent, type ReactNode, useEffect, useRef } from 'react';
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

/** Open while it is mounted. Closes on Escape, and on a click that is pressed and released outside. */
export function Modal({ label, className, closeLabel, onClose, children }: ModalProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const afterClose = useRef<() => void>(undefined);
  const isPressedOutside = useRef(false);
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
      onClose={handleClose}
      onPointerDown={(event) => {
        isPressedOutside.current = isOutside(event);
      }}
      onClick={(event) => isPressedOutside.current && isOutside(event) && close()}
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

/** The dialog is the target of events both on its backdrop and on its padding. */
function isOutside({ target, currentTarget, clientX, clientY }: MouseEvent): boolean {
  const { left, right, top, bottom } = currentTarget.getBoundingClientRect();
  return target === currentTarget && (clientX < left || clientX > right || clientY < top || clientY > bottom);
}

export type PageDialogProps = { onClose: () => void };
