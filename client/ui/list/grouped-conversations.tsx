import { type MouseEvent, memo, startTransition, useEffect, useRef, useState } from 'react';
import { useFormatter, useTranslations } from 'use-intl/react';
import { conversationPath } from '../../../shared/interface.ts';
import { Button } from '../../controls/button.tsx';
import { Menu, MenuItem } from '../../controls/menu.tsx';
import type { ConversationEntry } from '../../device/conversation-records.ts';
import type { ConversationGroup } from '../../library/conversation-groups.ts';
import type { SearchResult } from '../../library/search-conversations.ts';
import { whenIdle } from '../../rendering/when-idle.ts';
import { ConversationNameField } from '../page/conversation-name-field.tsx';

type GroupsProps = {
  groups: readonly ConversationGroup[];
  openId: string;
  tabStopId: string | undefined;
  runningIds: readonly string[];
  pinnedIds: readonly string[];
  actions: EntryActions;
};

/** The list can be very long, so its groups are rendered one by one and are memoized. */
export const GroupedConversations = memo(function GroupedConversations(props: GroupsProps) {
  const { groups, openId, tabStopId, ...shared } = props;
  const t = useTranslations('conversations');
  const format = useFormatter();
  const renderedCount = useRenderedCount(groups.length);
  return (
    <div className="conversation-groups">
      {groups.slice(0, renderedCount).map((group) => {
        const idInGroup = (id: string | undefined) => (group.entries.some((entry) => entry.id === id) ? id : undefined);
        return (
          <ListedGroup
            key={group.key}
            {...shared}
            group={group}
            openId={idInGroup(openId)}
            tabStopId={idInGroup(tabStopId)}
            t={t}
            format={format}
          />
        );
      })}
    </div>
  );
});

type GroupProps = Omit<GroupsProps, 'groups' | 'openId'> & {
  group: ConversationGroup;
  openId: string | undefined;
  t: ReturnType<typeof useTranslations<'conversations'>>;
  format: ReturnType<typeof useFormatter>;
};

const entryRem = 2.625;

const ListedGroup = memo(function ListedGroup(props: GroupProps) {
  const { group, openId, tabStopId, runningIds, pinnedIds, ...shared } = props;
  const { t, format } = shared;
  const { period, moment, hasHeading, entries, results } = group;
  const heading = () => {
    if (period === 'found') return '';
    return period === 'month' ? format.dateTime(moment, { month: 'long', year: 'numeric' }) : t(period);
  };
  return (
    <>
      {hasHeading && <h2 className="list-day">{heading()}</h2>}
      <ul style={{ containIntrinsicBlockSize: `auto ${entries.length * entryRem}rem` }}>
        {entries.map((entry) => (
          <ConversationListEntry
            key={entry.id}
            {...shared}
            entry={entry}
            result={results?.get(entry.id)}
            isPinned={pinnedIds.includes(entry.id)}
            isOpen={entry.id === openId}
            isRunning={runningIds.includes(entry.id)}
            isTabStop={entry.id === tabStopId}
          />
        ))}
      </ul>
    </>
  );
});

/** Starts with one group and adds one whenever the browser is idle: screen readers and the browser's search need every group. */
function useRenderedCount(total: number): number {
  const [count, setCount] = useState(1);
  useEffect(() => {
    if (count >= total) return;
    return whenIdle(() => startTransition(() => setCount((rendered) => rendered + 1)));
  }, [count, total]);
  return Math.min(count, total);
}

type EntryActions = {
  open: (id: string, result?: SearchResult) => void;
  rename: (id: string, name: string) => void;
  remove: (entry: ConversationEntry, isByKeyboard: boolean) => void;
  togglePinned: (id: string) => void;
};

type EntryProps = {
  entry: ConversationEntry;
  isOpen: boolean;
  isRunning: boolean;
  isPinned: boolean;
  /** Exactly one entry of the list is in the tab order. The arrow keys move to the others. */
  isTabStop: boolean;
  result: SearchResult | undefined;
  actions: EntryActions;
  t: ReturnType<typeof useTranslations<'conversations'>>;
  format: ReturnType<typeof useFormatter>;
};

/** Memoized, because there can be thousands of entries. */
const ConversationListEntry = memo(function ConversationListEntry(props: EntryProps) {
  const { entry, isOpen, isRunning, isPinned, isTabStop, result, actions, t, format } = props;
  const [isRenaming, setIsRenaming] = useState(false);
  const menuButton = useRef<HTMLButtonElement>(null);
  const wasRenaming = useRef(false);
  const title = entry.name || entry.title;
  const passage = result?.passage;

  useEffect(() => {
    if (wasRenaming.current && !isRenaming) menuButton.current?.focus();
    wasRenaming.current = isRenaming;
  }, [isRenaming]);

  if (isRenaming) {
    return (
      <li>
        <ConversationNameField
          className="entry-name"
          name={title}
          onSave={(name) => {
            actions.rename(entry.id, name);
            setIsRenaming(false);
          }}
          onCancel={() => setIsRenaming(false)}
        >
          <Button type="submit">{t('save')}</Button>
        </ConversationNameField>
      </li>
    );
  }
  const tabIndex = isTabStop ? 0 : -1;
  return (
    <li className={isOpen ? 'entry entry-current' : 'entry'}>
      <a
        className="entry-open"
        href={conversationPath(entry.id)}
        data-id={entry.id}
        aria-current={isOpen ? 'page' : undefined}
        tabIndex={tabIndex}
        title={`${title}\n${format.dateTime(entry.lastActiveAt, { dateStyle: 'long', timeStyle: 'short' })}`}
        onClick={(event) => {
          if (!isPlainClick(event)) return;
          event.preventDefault();
          actions.open(entry.id, result);
        }}
      >
        <span className="entry-title" dir="auto">
          {/* `dir="auto"` ignores the text of a `bdi` element. */}
          {entry.isDraft && (
            <>
              <bdi className="entry-draft">{t('draft')}</bdi>{' '}
            </>
          )}
          {title}
        </span>
        {passage && (
          <span className="entry-passage" dir="auto">
            {passage.before}
            <mark>{passage.match}</mark>
            {passage.after}
          </span>
        )}
        {isRunning && (
          <span className="entry-running">
            <span className="visually-hidden">{t('running')}</span>
          </span>
        )}
      </a>
      <Menu
        label={t('more', { title })}
        buttonClass="button button-quiet entry-more"
        buttonRef={menuButton}
        tabIndex={tabIndex}
      >
        {(_, closeThen) => (
          <EntryMenuItems
            entry={entry}
            isPinned={isPinned}
            actions={actions}
            onRename={() => setIsRenaming(true)}
            closeThen={closeThen}
          />
        )}
      </Menu>
    </li>
  );
});

type EntryMenuItemsProps = Pick<EntryProps, 'entry' | 'isPinned' | 'actions'> & {
  onRename: () => void;
  closeThen: (next: () => void) => void;
};

function EntryMenuItems({ entry, isPinned, actions, onRename, closeThen }: EntryMenuItemsProps) {
  const t = useTranslations('conversationMenu');
  return (
    <>
      <MenuItem icon="pin" onClick={() => closeThen(() => actions.togglePinned(entry.id))}>
        {t(isPinned ? 'unpinConversation' : 'pinConversation')}
      </MenuItem>
      <MenuItem icon="pencil" onClick={() => closeThen(onRename)}>
        {t('renameConversation')}
      </MenuItem>
      <hr />
      <MenuItem icon="bin" isDestructive onClick={({ detail }) => closeThen(() => actions.remove(entry, detail === 0))}>
        {t('deleteConversation')}
      </MenuItem>
    </>
  );
}

/** The browser handles other clicks: with Ctrl or Cmd, for example, the link opens in a new tab. */
function isPlainClick({ button, ctrlKey, metaKey, altKey, shiftKey }: MouseEvent): boolean {
  return button === 0 && !ctrlKey && !metaKey && !altKey && !shiftKey;
}
