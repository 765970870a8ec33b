import { type FocusEvent, type PointerEvent, useEffect, useRef, useSyncExternalStore } from 'react';
import { useTranslations } from 'use-intl/react';
import { Button } from '../controls/button.tsx';
import { Icon } from '../controls/icon.tsx';
import { keyNames } from '../controls/key-names.ts';
import type { UndoOffer } from '../conversations/undo-offer.ts';

type UndoNoticeProps = {
  offer: UndoOffer;
  /** Whether a list of conversations has a notice of its own, where the screen has room for that list. */
  isListNear?: boolean;
};

/**
 * Says what was done and lets the person take it back, for a while: by a press, or by Ctrl+Z where no field would take that
 * for itself. It stays for as long as the pointer or the focus is on it.
 */
export function UndoNotice({ offer, isListNear = false }: UndoNoticeProps) {
  const say = useTranslations('undo');
  const { offered } = useSyncExternalStore(offer.subscribe, offer.getState);
  const place = useRef<HTMLDivElement>(null);
  const isOffered = offered !== null;

  useEffect(() => {
    if (!isOffered) return;
    const undoByKey = (event: KeyboardEvent) => {
      const { key, ctrlKey, metaKey, shiftKey, altKey } = event;
      // The list and the conversation each have a notice: one key takes back one thing.
      if (event.defaultPrevented) return;
      if (key.toLowerCase() !== 'z' || ctrlKey === metaKey || shiftKey || altKey || isInField()) return;
      event.preventDefault();
      offer.undo();
    };
    window.addEventListener('keydown', undoByKey);
    return () => window.removeEventListener('keydown', undoByKey);
  }, [isOffered, offer]);

  // A notice that leaves the page has nobody at it any more, and no event says so.
  useEffect(() => offer.release, [offer]);

  const end = (act: () => void) => {
    place.current?.focus({ preventScroll: true });
    act();
  };
  const look = ({ currentTarget }: FocusEvent | PointerEvent) => {
    // After a click the place itself has the focus, and nobody is at it.
    if (currentTarget.matches(':hover, :focus-visible, :has(:focus)')) offer.hold();
    else offer.release();
  };
  return (
    <div
      ref={place}
      className={isListNear ? 'undo-place undo-below-list' : 'undo-place'}
      role="status"
      tabIndex={-1}
      onPointerEnter={look}
      onPointerLeave={look}
      onFocus={look}
      onBlur={look}
    >
      {offered && (
        <div className="undo">
          <p>{say.rich(offered.what, { title: () => <bdi>{offered.title}</bdi> })}</p>
          <Button kind="action" title={say('withKey', keyNames)} onClick={() => end(offer.undo)}>
            {say('undo')}
          </Button>
          <Button kind="action" aria-label={say('close')} onClick={() => end(offer.withdraw)}>
            <Icon name="cross" />
          </Button>
        </div>
      )}
    </div>
  );
}

/** Whether the focus is where somebody types: there the keys take back what was typed. */
function isInField(): boolean {
  return document.activeElement?.matches('input, textarea, select, [contenteditable]') ?? false;
}
