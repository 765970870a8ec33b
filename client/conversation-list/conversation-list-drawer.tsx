import { useEffect, useState } from 'react';
import { useTranslations } from 'use-intl/react';
import { useOfferedCommands } from '../commands/commands-provider.tsx';
import { Button } from '../controls/button.tsx';
import { Icon } from '../controls/icon.tsx';
import { Modal } from '../controls/modal.tsx';
import { useMedia } from '../controls/use-media.ts';
import { useSettings } from '../settings/in-settings.tsx';
import { ConversationList, type ConversationListProps } from './conversation-list.tsx';

/** The button that opens the list where the screen has no room beside the conversation, and folds it away where it has. */
export function ConversationListDrawer({ onNew, onOpen, ...rest }: ConversationListProps) {
  const t = useTranslations('conversations');
  const [open, setOpen] = useState<'list' | 'search'>();
  const { settings, change } = useSettings();
  const { isListFolded } = settings;
  // As the styles have it.
  const isBeside = useMedia('(width >= 64rem)');
  const isShown = isBeside ? !isListFolded : open !== undefined;

  useEffect(() => {
    // The dialog has given the focus to its first control.
    if (open === 'search') searchField('.drawer')?.focus();
  }, [open]);

  const toggle = () => {
    if (isBeside) change({ isListFolded: !isListFolded });
    else setOpen('list');
  };
  useOfferedCommands({
    list: toggle,
    search() {
      const beside = searchField('.list-column');
      if (beside?.checkVisibility()) beside.focus();
      else setOpen('search');
    },
  });
  return (
    <div className="drawer-button" data-folded={isListFolded}>
      <Button kind="quiet" title={t('label')} aria-label={t('label')} aria-expanded={isShown} onClick={toggle}>
        <Icon name="list" />
      </Button>
      {open && (
        <Modal label={t('label')} className="modal drawer" closeLabel={t('close')} onClose={() => setOpen(undefined)}>
          {(close) => (
            <ConversationList
              {...rest}
              onNew={() => {
                close();
                onNew();
              }}
              onOpen={(id, found) => {
                close();
                onOpen(id, found);
              }}
            />
          )}
        </Modal>
      )}
    </div>
  );
}

function searchField(around: string): HTMLElement | null {
  return document.querySelector(`${around} [type="search"]`);
}
