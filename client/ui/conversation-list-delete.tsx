import { Button } from './button.tsx';
import { Modal } from './modal.tsx';

type DeleteProps = { title: string; onDelete: () => void; onClose: () => void };

/** Asks before a conversation is deleted: there is no way back. */
export function ConversationListDelete({ title, onDelete, onClose }: DeleteProps) {
  return (
    <Modal label="Delete this conversation?" className="modal" onClose={onClose}>
      {(close) => (
        <>
          <h2>Delete this conversation?</h2>
          <p>
            “<bdi>{title}</bdi>” will be removed from this device. This cannot be undone.
          </p>
          <div className="modal-choices">
            <Button onClick={close}>Keep it</Button>
            <Button
              kind="primary"
              onClick={() => {
                close();
                onDelete();
              }}
            >
              Delete
            </Button>
          </div>
        </>
      )}
    </Modal>
  );
}
