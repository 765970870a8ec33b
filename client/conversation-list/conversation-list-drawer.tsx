import { useEffect, useState, useSyncExternalStore } from 'react';
import { useTranslations } from 'use-intl/react';
import { useOfferedCommands } from '../commands/in-commands.tsx';
import { Button } from '../controls/button.tsx';
import { Icon } from '../controls/icon.tsx';
import { Modal } from '../controls/modal.tsx';
import { useSettings } from '../settings/in-settings.tsx';
import { ConversationList, type ConversationListProps } from './conversation-list.tsx';

/** The button that opens the list where the screen has no room beside the conversation, and folds it away where it has. */
export function ConversationListDrawer({ onNew, onOpen, ...rest }: ConversationListProps) {
  const t = useTranslations('conversations');
  const [open, setOpen] = useState<'list' | 'search'>();
  const { settings, change } = useSettings();
  const { isListFolded } = settings;
  const isBeside = useSyncExternalStore(subscribe, () => roomBeside().matches);
  const isShown = isBeside ? !isListFolded : open !== undefined;

  useEffect(() => {
    // The dialog has given the focus to its first control.
    if (open === 'search') searchField('.drawer')?.focus();
  }, [open]);

  const toggle = () => {
    if (roomBeside().matches) change({ isListFolded: !isListFolded });
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
        <Modal label={t('label')} className="modal drawer" onClose={() => setOpen(undefined)}>
          {(close) => (
            <>
              <div className="drawer-head">
                <h2>{t('label')}</h2>
                <Button kind="quiet" onClick={close}>
                  {t('close')}
                </Button>
              </div>
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
            </>
          )}
        </Modal>
      )}
    </div>
  );
}

/** As the styles have it. */
const roomBeside = () => window.matchMedia('(width >= 64rem)');

function subscribe(onChange: () => void): () => void {
  const room = roomBeside();
  room.addEventListener('change', onChange);
  return () => room.removeEventListener('change', onChange);
}

function searchField(around: string): HTMLElement | null {
  return document.querySelector(`${around} [type="search"]`);
}
