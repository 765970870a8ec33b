import { type FocusEvent, type PointerEvent, useEffect, useRef, useSyncExternalStore } from 'react';
import { useTranslations } from 'use-intl/react';
import { keyNames } from '../commands/command-key.ts';
import { useOfferedCommands } from '../commands/in-commands.tsx';
import { Button } from '../controls/button.tsx';
import { Icon } from '../controls/icon.tsx';
import { useWindowEvent } from '../controls/use-window-event.ts';
import type { UndoToasts } from '../conversations/undo-toasts.ts';

type UndoToastProps = {
  toasts: UndoToasts;
  /** Whether a list of conversations has a notice of its own, where the screen has room for that list. */
  isListNear?: boolean;
};

/**
 * Says what was done and lets the person take it back, for a while: by a press, or by Ctrl+Z where no field would take that
 * for itself. It stays for as long as the pointer or the focus is on it.
 */
export function UndoToast({ toasts, isListNear = false }: UndoToastProps) {
  const t = useTranslations('undo');
  const { shown } = useSyncExternalStore(toasts.subscribe, toasts.getState);
  const place = useRef<HTMLDivElement>(null);
  const isShown = shown !== null;
  useOfferedCommands(isShown ? { undo: toasts.undo } : {});

  useWindowEvent('keydown', (event) => {
    const { key, ctrlKey, metaKey, shiftKey, altKey } = event;
    // The list and the conversation each have a notice: one key takes back one thing.
    if (!isShown || event.defaultPrevented) return;
    if (key.toLowerCase() !== 'z' || ctrlKey === metaKey || shiftKey || altKey || isInField()) return;
    event.preventDefault();
    toasts.undo();
  });

  // A notice that leaves the page has nobody at it any more, and no event says so.
  useEffect(() => toasts.resume, [toasts]);

  const end = (act: () => void) => {
    place.current?.focus({ preventScroll: true });
    act();
  };
  const look = ({ currentTarget }: FocusEvent | PointerEvent) => {
    // After a click the place itself has the focus, and nobody is at it.
    if (currentTarget.matches(':hover, :focus-visible, :has(:focus)')) toasts.pause();
    else toasts.resume();
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
      {shown && (
        <div className="undo">
          <p>{t.rich('deleted', { title: () => <bdi>{shown.title}</bdi> })}</p>
          <Button kind="action" title={t('withKey', keyNames)} onClick={() => end(toasts.undo)}>
            {t('undo')}
          </Button>
          <Button kind="action" aria-label={t('close')} onClick={() => end(toasts.dismiss)}>
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
