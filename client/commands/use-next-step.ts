import { useRef } from 'react';

/** Lets a dialog lead on to something else, which happens once the dialog has closed and the focus is back where it was. */
export function useNextStep(onClose: () => void) {
  const next = useRef<() => void>(undefined);
  return {
    /** To be called when the dialog has closed. */
    closed: () => {
      onClose();
      next.current?.();
    },
    goOn: (step: () => void, close: () => void) => {
      next.current = step;
      close();
    },
  };
}
