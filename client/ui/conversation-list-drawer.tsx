import { useEffect, useRef, useState } from 'react';
import { useTranslations } from 'use-intl/react';
import { useOfferedCommands } from '../commands/in-commands.tsx';
import { Button } from './button.tsx';
import { ConversationList, type ConversationListProps } from './conversation-list.tsx';
import { Icon } from './icon.tsx';
import { Modal } from './modal.tsx';

/** The list for a screen that has no room beside the conversation: a button that opens it. Leads to the search on any screen. */
export function ConversationListDrawer({ onNew, onOpen, ...rest }: ConversationListProps) {
  const say = useTranslations('conversations');
  const [openAt, setOpenAt] = useState<'top' | 'search'>();
  const drawer = useRef<HTMLDivElement>(null);
  const hasSearch = rest.list.getState().entries.length > 0;

  const seek = () => {
    if (drawer.current?.checkVisibility()) setOpenAt('search');
    else searchFieldIn(document.querySelector('.list-column'))?.focus();
  };
  useOfferedCommands(hasSearch ? { search: seek } : {});

  useEffect(() => {
    if (openAt === 'search') searchFieldIn(drawer.current)?.focus();
  }, [openAt]);

  return (
    <div ref={drawer} className="drawer-button">
      <Button kind="quiet" aria-haspopup="dialog" aria-label={say('label')} onClick={() => setOpenAt('top')}>
        <Icon name="list" />
      </Button>
      {openAt && (
        <Modal label={say('label')} className="modal drawer" onClose={() => setOpenAt(undefined)}>
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

function searchFieldIn(list: Element | null): HTMLElement | null {
  return list?.querySelector<HTMLElement>('[type="search"]') ?? null;
}
