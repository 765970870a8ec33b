import { useEffect } from 'react';

type PageLife = {
  /** The page is left, or the component goes. */
  onLeave: () => void;
  /** The page is hidden: on a phone it may never be seen again, and nobody says so. */
  onHide: () => void;
  /** The page is seen again. */
  onShow: () => void;
  /** Another tab has changed what the device keeps under `key`; `wasRemoved` where nothing is there any more. */
  onChangeElsewhere: (key: string, wasRemoved: boolean) => void;
};

/** What may happen to a page while a conversation is on it. The functions have to stay the same ones. */
export function usePageLife({ onLeave, onHide, onShow, onChangeElsewhere }: PageLife): void {
  useEffect(() => {
    const lookAtVisibility = () => (document.hidden ? onHide() : onShow());
    const passOn = ({ key, newValue }: StorageEvent) => {
      if (key !== null) onChangeElsewhere(key, newValue === null);
    };
    window.addEventListener('pagehide', onLeave);
    document.addEventListener('visibilitychange', lookAtVisibility);
    window.addEventListener('storage', passOn);
    return () => {
      window.removeEventListener('pagehide', onLeave);
      document.removeEventListener('visibilitychange', lookAtVisibility);
      window.removeEventListener('storage', passOn);
      onLeave();
    };
  }, [onLeave, onHide, onShow, onChangeElsewhere]);
}
