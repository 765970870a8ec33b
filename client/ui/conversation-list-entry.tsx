import { useEffect, useRef, useState } from 'react';
import type { ConversationEntry } from '../chat/conversation-entry.ts';
import { Button } from './button.tsx';
import { ConversationListDelete } from './conversation-list-delete.tsx';
import { ConversationListName } from './conversation-list-name.tsx';
import { Icon } from './icon.tsx';

type EntryProps = {
  entry: ConversationEntry;
  isOpen: boolean;
  /** Whether a reply is being written in it. */
  isRunning: boolean;
  onOpen: () => void;
  onRename: (name: string) => void;
  onDelete: () => void;
};

/** One conversation of the list. */
export function ConversationListEntry({ entry, isOpen, isRunning, onOpen, onRename, onDelete }: EntryProps) {
  const [doing, setDoing] = useState<'rename' | 'delete' | null>(null);
  const renameButton = useRef<HTMLButtonElement>(null);
  const wasRenaming = useRef(false);
  const isRenaming = doing === 'rename';
  const title = entry.name || entry.title;

  useEffect(() => {
    if (wasRenaming.current && !isRenaming) renameButton.current?.focus();
    wasRenaming.current = isRenaming;
  }, [isRenaming]);

  if (isRenaming) {
    return (
      <li>
        <ConversationListName
          name={title}
          onName={(name) => {
            onRename(name);
            setDoing(null);
          }}
          onCancel={() => setDoing(null)}
        />
      </li>
    );
  }
  return (
    <li className="entry">
      <button type="button" className="entry-open" aria-current={isOpen || undefined} onClick={onOpen}>
        <span className="entry-title" dir="auto">
          {title}
        </span>
        {isRunning ? (
          <span className="entry-time entry-running">Reply running…</span>
        ) : (
          <time className="entry-time" dateTime={new Date(entry.lastActiveAt).toISOString()}>
            {dayOrTime(entry.lastActiveAt)}
          </time>
        )}
      </button>
      <Button ref={renameButton} kind="quiet" aria-label={`Rename “${title}”`} onClick={() => setDoing('rename')}>
        <Icon name="pencil" />
      </Button>
      <Button kind="quiet" aria-label={`Delete “${title}”`} onClick={() => setDoing('delete')}>
        <Icon name="bin" />
      </Button>
      {doing === 'delete' && (
        <ConversationListDelete title={title} onDelete={onDelete} onClose={() => setDoing(null)} />
      )}
    </li>
  );
}

/** The time of a moment today, else its day. */
function dayOrTime(moment: number): string {
  const date = new Date(moment);
  if (date.toDateString() === new Date().toDateString()) {
    return date.toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit' });
  }
  return date.toLocaleDateString(undefined, { day: 'numeric', month: 'short', year: 'numeric' });
}
