import { useState } from 'react';
import type { ConversationList as List } from '../chat/conversation-list.ts';
import type { Desk } from '../chat/desk.ts';
import { Button } from './button.tsx';
import { ConversationList } from './conversation-list.tsx';
import { Modal } from './modal.tsx';

/** The list for a screen that has no room beside the conversation: a button that opens it. */
export function ConversationListDrawer({ desk, list }: { desk: Desk; list: List }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <div className="drawer-button">
      <Button kind="quiet" aria-haspopup="dialog" aria-label="Conversations" onClick={() => setIsOpen(true)}>
        <svg className="icon" viewBox="0 0 16 16" aria-hidden="true">
          <path d="M2.5 4h11M2.5 8h11M2.5 12h7" />
        </svg>
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
