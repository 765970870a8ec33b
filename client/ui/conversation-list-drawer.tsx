import { useState } from 'react';
import { useTranslations } from 'use-intl/react';
import { Button } from './button.tsx';
import { ConversationList, type ConversationListProps } from './conversation-list.tsx';
import { Icon } from './icon.tsx';
import { Modal } from './modal.tsx';

/** The list for a screen that has no room beside the conversation: a button that opens it. */
export function ConversationListDrawer({ onNew, onOpen, ...rest }: ConversationListProps) {
  const say = useTranslations('conversations');
  const [isOpen, setIsOpen] = useState(false);
  return (
    <div className="drawer-button">
      <Button kind="quiet" aria-haspopup="dialog" aria-label={say('label')} onClick={() => setIsOpen(true)}>
        <Icon name="list" />
      </Button>
      {isOpen && (
        <Modal label={say('label')} className="modal drawer" onClose={() => setIsOpen(false)}>
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
