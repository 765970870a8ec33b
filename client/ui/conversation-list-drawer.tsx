import { useState } from 'react';
import type { ConversationList as List } from '../chat/conversations.ts';
import type { Desk } from '../chat/desk.ts';
import { Button } from './button.tsx';
import { ConversationList } from './conversation-list.tsx';
import { Icon } from './icon.tsx';
import { Modal } from './modal.tsx';

/** The list for a screen that has no room beside the conversation: a button that opens it. */
export function ConversationListDrawer({ desk, list }: { desk: Desk; list: List }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <div className="drawer-button">
      <Button kind="quiet" aria-haspopup="dialog" aria-label="Conversations" onClick={() => setIsOpen(true)}>
        <Icon name="list" />
      </Button>
      {isOpen && (
        <Modal label="Conversations" className="modal drawer" onClose={() => setIsOpen(false)}>
          {(close) => (
            <>
              <div className="drawer-head">
                <h2>Conversations</h2>
                <Button kind="quiet" onClick={close}>
                  Close
                </Button>
              </div>
              <ConversationList desk={desk} list={list} onChoose={close} />
            </>
          )}
        </Modal>
      )}
    </div>
  );
}
