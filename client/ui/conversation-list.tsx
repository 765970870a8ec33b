import { useRef, useState, useSyncExternalStore } from 'react';
import type { ConversationList as List } from '../chat/conversations.ts';
import type { Desk } from '../chat/desk.ts';
import { useRunningTurns } from '../turns/use-turn.ts';
import { Button } from './button.tsx';
import { ConversationListEntry } from './conversation-list-entry.tsx';
import { ConversationListSearch } from './conversation-list-search.tsx';
import { Icon } from './icon.tsx';
import { Notice } from './notice.tsx';
import { useFound } from './use-found.ts';

type ConversationListProps = {
  desk: Desk;
  list: List;
  /** Called before another conversation is shown. */
  onChoose?: () => void;
};

/** The person's conversations on this device: to go to, to find, to name and to delete. */
export function ConversationList({ desk, list, onChoose }: ConversationListProps) {
  const { entries, room } = useSyncExternalStore(list.subscribe, list.getState);
  const { id: openId } = useSyncExternalStore(desk.subscribe, desk.getState);
  const running = useRunningTurns();
  const [words, setWords] = useState('');
  const [deleted, setDeleted] = useState('');
  const search = useRef<HTMLInputElement>(null);
  const shown = useFound(list, words) ?? entries;

  return (
    <nav className="conversation-list" aria-label="Conversations">
      <Button
        onClick={() => {
          onChoose?.();
          desk.startNew();
        }}
      >
        <Icon name="plus" />
        New conversation
      </Button>
      {entries.length > 0 && <ConversationListSearch ref={search} words={words} onWords={setWords} />}
      {room === 'full' && (
        <Notice tone="calm">
          This device has no room for more. Delete some conversations: new messages are kept then.
        </Notice>
      )}
      <ul>
        {shown.map((entry) => (
          <ConversationListEntry
            key={entry.id}
            entry={entry}
            isOpen={entry.id === openId}
            isRunning={running.includes(entry.id)}
            onOpen={() => {
              onChoose?.();
              desk.open(entry.id);
            }}
            onRename={(name) => list.rename(entry.id, name)}
            onDelete={() => {
              search.current?.focus();
              desk.remove(entry.id);
              setDeleted(entry.name || entry.title);
            }}
          />
        ))}
      </ul>
      {shown.length === 0 && (
        <p className="aside">{entries.length === 0 ? 'Your conversations will be listed here.' : 'Nothing found.'}</p>
      )}
      <p className="visually-hidden" role="status">
        {deleted && `Deleted “${deleted}”.`}
      </p>
    </nav>
  );
}
