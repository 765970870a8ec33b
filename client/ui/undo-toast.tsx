import { useRef, useSyncExternalStore } from 'react';
import { useTranslations } from 'use-intl/react';
import { isCommandKey, keyNames } from '../commands/command-key.ts';
import { useRegisterCommands } from '../commands/commands-provider.tsx';
import { Button } from '../controls/button.tsx';
import { Icon } from '../controls/icon.tsx';
import { useWindowEvent } from '../controls/use-window-event.ts';
import type { UndoOffer } from '../conversations/undo.ts';

type UndoToastProps = {
  undoOffer: UndoOffer;
  /** Whether the conversation list next to it shows the notice instead on wide screens. */
  isListNear?: boolean;
};

/**
 * Offers to undo the deletions since the last offer ended, by button or by Ctrl+Z outside text fields. It stays until it is
 * dismissed.
 */
export function UndoToast({ undoOffer, isListNear = false }: UndoToastProps) {
  const t = useTranslations('undo');
  const tCommand = useTranslations('commands');
  const { undoables } = useSyncExternalStore(undoOffer.subscribe, undoOffer.getState);
  const [first] = undoables;
  const container = useRef<HTMLDivElement>(null);
  useRegisterCommands(first === undefined ? {} : { undo: undoOffer.undo });

  useWindowEvent('keydown', (event) => {
    if (first === undefined || event.defaultPrevented || isEditingText()) return;
    if (!isCommandKey(event, { letter: 'z' })) return;
    event.preventDefault();
    undoOffer.undo();
  });

  const closeWith = (action: () => void) => {
    container.current?.focus({ preventScroll: true });
    action();
  };
  return (
    <div
      ref={container}
      className={isListNear ? 'undo-place undo-below-list' : 'undo-place'}
      role="status"
      tabIndex={-1}
    >
      {first && (
        <div className="undo">
          <p>
            {undoables.length === 1
              ? t.rich('deleted', { title: () => <bdi>{first.title}</bdi> })
              : t('deletedSeveral', { count: undoables.length })}
          </p>
          <Button kind="action" title={t('withKey', keyNames)} onClick={() => closeWith(undoOffer.undo)}>
            {t('undo')}
          </Button>
          <Button kind="action" aria-label={tCommand('close')} onClick={() => closeWith(undoOffer.dismiss)}>
            <Icon name="cross" />
          </Button>
        </div>
      )}
    </div>
  );
}

/** In an empty field there is nothing else to undo. The message field has the focus after a deletion by a command. */
function isEditingText(): boolean {
  return document.activeElement?.matches('input, textarea:not(:placeholder-shown), select, [contenteditable]') ?? false;
}
