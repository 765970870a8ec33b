import { useRef, useSyncExternalStore } from 'react';
import { useTranslations } from 'use-intl/react';
import { keyNames } from '../commands/command-key.ts';
import { useOfferedCommands } from '../commands/commands-provider.tsx';
import { Button } from '../controls/button.tsx';
import { Icon } from '../controls/icon.tsx';
import { useWindowEvent } from '../controls/use-window-event.ts';
import type { UndoOffer } from '../conversations/undo.ts';

type UndoToastProps = {
  undoOffer: UndoOffer;
  /** Whether a list of conversations has a notice of its own, where the screen has room for that list. */
  isListNear?: boolean;
};

/**
 * Says what was deleted and offers to undo that: by a press, or by Ctrl+Z where no field would take that for itself. It stays
 * until it is dismissed or something else is deleted.
 */
export function UndoToast({ undoOffer, isListNear = false }: UndoToastProps) {
  const t = useTranslations('undo');
  const { offered } = useSyncExternalStore(undoOffer.subscribe, undoOffer.getState);
  const place = useRef<HTMLDivElement>(null);
  useOfferedCommands(offered === null ? {} : { undo: undoOffer.undo });

  useWindowEvent('keydown', (event) => {
    const { key, ctrlKey, metaKey, shiftKey, altKey } = event;
    // The list and the conversation each have a notice: one key press undoes one deletion.
    if (offered === null || event.defaultPrevented) return;
    if (key.toLowerCase() !== 'z' || ctrlKey === metaKey || shiftKey || altKey || isInField()) return;
    event.preventDefault();
    undoOffer.undo();
  });

  const end = (act: () => void) => {
    place.current?.focus({ preventScroll: true });
    act();
  };
  return (
    <div ref={place} className={isListNear ? 'undo-place undo-below-list' : 'undo-place'} role="status" tabIndex={-1}>
      {offered && (
        <div className="undo">
          <p>{t.rich('deleted', { title: () => <bdi>{offered.title}</bdi> })}</p>
          <Button kind="action" title={t('withKey', keyNames)} onClick={() => end(undoOffer.undo)}>
            {t('undo')}
          </Button>
          <Button kind="action" aria-label={t('close')} onClick={() => end(undoOffer.dismiss)}>
            <Icon name="cross" />
          </Button>
        </div>
      )}
    </div>
  );
}

/** Whether the focus is in a field, where the key undoes the typing. */
function isInField(): boolean {
  return document.activeElement?.matches('input, textarea, select, [contenteditable]') ?? false;
}
