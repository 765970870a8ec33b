import { useRef, useSyncExternalStore } from 'react';
import { flushSync } from 'react-dom';
import { useTranslations } from 'use-intl/react';
import { useWindowEvent } from '../../browser/use-window-event.ts';
import { isCommandKey, keyNames } from '../../commands/command-key.ts';
import { useRegisterCommands } from '../../commands/commands-provider.tsx';
import { Button, IconButton } from '../../controls/button.tsx';
import type { UndoableAction, UndoOffer } from '../../library/undo.ts';
import { composerFocusTarget } from './composer.tsx';

type UndoToastProps = {
  undoOffer: UndoOffer;
  /** Whether a conversation list shows the offer instead while it is visible. */
  isListNear?: boolean;
};

/** Undo works with the button, the command, and Ctrl+Z or Cmd+Z unless the user is editing text. The toast has no time limit. */
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
    const { activeElement } = document;
    flushSync(undoOffer.undo);
    entryInListOf(activeElement, first.id)?.focus();
  });

  const focus = (element: HTMLElement | null) => element?.focus({ preventScroll: true });
  const dismiss = () => {
    focus(container.current);
    undoOffer.dismiss();
  };
  const undo = ({ id }: UndoableAction) => {
    focus(container.current);
    flushSync(undoOffer.undo);
    const entry = entryInListOf(container.current, id);
    if (entry) entry.focus();
    else focus(composerFocusTarget());
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
          <Button kind="action" title={t('withKey', keyNames)} onClick={() => undo(first)}>
            {t('undo')}
          </Button>
          <IconButton icon="cross" label={tCommand('close')} onClick={dismiss} />
        </div>
      )}
    </div>
  );
}

/** Returns the link to the conversation `id` in the conversation list that contains `element`. */
function entryInListOf(element: Element | null, id: string): HTMLElement | null {
  return element?.closest('nav')?.querySelector<HTMLElement>(`[data-id="${id}"]`) ?? null;
}

/** An empty message field does not count: it has nothing else to undo, and it has the focus after a deletion by a command. */
function isEditingText(): boolean {
  return document.activeElement?.matches('input, textarea:not(:placeholder-shown), select, [contenteditable]') ?? false;
}
