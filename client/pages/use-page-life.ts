import { useEffect } from 'react';

type PageLife = {
  /** The page is left, or the component goes. */
  onLeave: () => void;
  /** The page is hidden: on a phone it may never be seen again, and nobody says so. */
  onHide: () => void;
  /** The page is seen again. */
  onShow: () => void;
  /** The page comes back as it was left: other tabs may have gone on meanwhile, and it has not heard of it. */
  onReturn: () => void;
};

/** What may happen to a page while a conversation is on it. The functions have to stay the same ones. */
export function usePageLife({ onLeave, onHide, onShow, onReturn }: PageLife): void {
  useEffect(() => {
    const lookAtVisibility = () => (document.hidden ? onHide() : onShow());
    const lookAtReturn = ({ persisted }: PageTransitionEvent) => {
      if (persisted) onReturn();
    };
    window.addEventListener('pagehide', onLeave);
    window.addEventListener('pageshow', lookAtReturn);
    document.addEventListener('visibilitychange', lookAtVisibility);
    return () => {
      window.removeEventListener('pagehide', onLeave);
      window.removeEventListener('pageshow', lookAtReturn);
      document.removeEventListener('visibilitychange', lookAtVisibility);
      onLeave();
    };
  }, [onLeave, onHide, onShow, onReturn]);
}
