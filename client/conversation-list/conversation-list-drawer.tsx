import { useEffect, useState } from 'react';
import { useTranslations } from 'use-intl/react';
import { useOfferedCommands } from '../commands/in-commands.tsx';
import { Button } from '../controls/button.tsx';
import { Icon } from '../controls/icon.tsx';
import { Modal } from '../controls/modal.tsx';
import { ConversationList, type ConversationListProps } from './conversation-list.tsx';

/** The list for a screen that has no room beside the conversation: a button that opens it. */
export function ConversationListDrawer({ onNew, onOpen, ...rest }: ConversationListProps) {
  const say = useTranslations('conversations');
  const [open, setOpen] = useState<'list' | 'search'>();

  useEffect(() => {
    // The dialog has given the focus to its first control.
    if (open === 'search') searchField('.drawer')?.focus();
  }, [open]);

  useOfferedCommands({
    search() {
      const beside = searchField('.list-column');
      if (beside?.checkVisibility()) beside.focus();
      else setOpen('search');
    },
  });
  return (
    <div className="drawer-button">
      <Button kind="quiet" aria-haspopup="dialog" aria-label={say('label')} onClick={() => setOpen('list')}>
        <Icon name="list" />
      </Button>
      {open && (
        <Modal label={say('label')} className="modal drawer" onClose={() => setOpen(undefined)}>
          {(close) => (
            <>
              <div className="drawer-head">
                <h2>{say('label')}</h2>
                <Button kind="quiet" onClick={close}>
                  {say('close')}
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

function searchField(around: string): HTMLElement | null {
  return document.querySelector(`${around} [type="search"]`);
}
