import { type ReactNode, useId, useRef, useState, useSyncExternalStore } from 'react';
import { useTranslations } from 'use-intl/react';
import { Link } from 'wouter';
import { pages } from '../../shared/interface.ts';
import type { CommandName, Commands } from '../commands/command-registry.ts';
import { useCommandRegistry, useOfferedCommands } from '../commands/in-commands.tsx';
import { Button } from '../controls/button.tsx';
import { Icon, type IconName } from '../controls/icon.tsx';
import { isUnreachable, useSession } from '../session/session.ts';
import { usePersistenceHint } from './use-persistence-hint.ts';

type HeaderProps = {
  /** Stands before the name of the product. */
  start?: ReactNode;
  badge?: string;
  /** What the open conversation is called. */
  title?: string | undefined;
  /** Whether there is a conversation of which something can be done as a whole. */
  hasMenu?: boolean;
  /** Where the settings have no place elsewhere on the page. */
  hasSettings?: boolean;
  onNewConversation?: (() => void) | undefined;
  children?: ReactNode;
};

export function Header(props: HeaderProps) {
  const { start, badge, title, hasMenu = false, hasSettings = false, onNewConversation, children } = props;
  const t = useTranslations('header');
  const registry = useCommandRegistry();
  const { data: session } = useSession();
  useOfferedCommands(onNewConversation ? { newConversation: onNewConversation } : {});
  return (
    <header className={badge ? 'header header-badged' : 'header'}>
      <div className="header-row">
        {start}
        <Link className="brand" href={session?.user ? pages.chat : pages.demo} aria-label="Advisory Chat">
          <svg className="brand-mark" viewBox="0 0 32 32" aria-hidden="true">
            <rect width="32" height="32" rx="9" />
            <path d="M8 22V11.5A2.5 2.5 0 0 1 10.5 9h11a2.5 2.5 0 0 1 2.5 2.5v6a2.5 2.5 0 0 1-2.5 2.5H11z" />
          </svg>
          <span className="brand-name">Advisory Chat</span>
        </Link>
        {badge && <span className="badge">{badge}</span>}
        {title && (
          <span className="header-title" dir="auto" title={title}>
            {title}
          </span>
        )}
        <OfflineNotice />
        <div className="header-end">
          {hasMenu && <ConversationMenu />}
          {onNewConversation && (
            <span className="header-new">
              <Button kind="quiet" onClick={onNewConversation} aria-label={t('newConversation')}>
                <Icon name="plus" />
                <span className="icon-label">{t('newConversation')}</span>
              </Button>
            </span>
          )}
          {hasSettings && (
            <span className="header-settings">
              <Button
                kind="quiet"
                aria-haspopup="dialog"
                aria-label={t('settings')}
                title={t('settings')}
                onClick={() => registry.run('settings')}
              >
                <Icon name="settings" />
              </Button>
            </span>
          )}
          {children}
        </div>
      </div>
    </header>
  );
}

const ways: readonly { name: CommandName; icon: IconName }[] = [
  { name: 'find', icon: 'search' },
  { name: 'copyConversation', icon: 'transcript' },
  { name: 'downloadConversation', icon: 'download' },
  { name: 'exportConversation', icon: 'download' },
  { name: 'print', icon: 'print' },
  // Where the header has no room for a sign of them.
  { name: 'settings', icon: 'settings' },
];

const shownMilliseconds = 1500;

/** What can be done with the whole conversation that is open, as far as something on the page offers it. */
function ConversationMenu() {
  const t = useTranslations('commands');
  const tCopy = useTranslations('copying');
  const tHeader = useTranslations('header');
  const registry = useCommandRegistry();
  const [offered, setOffered] = useState<Commands>({});
  const [copied, setCopied] = useState<'copied' | 'failed'>();
  const menu = useRef<HTMLDivElement>(null);
  const id = useId();

  const close = () => menu.current?.hidePopover();
  const run = async (name: CommandName) => {
    if (name !== 'copyConversation') {
      close();
      registry.run(name);
      return;
    }
    const isCopied = await offered.copyConversation?.();
    setCopied(isCopied ? 'copied' : 'failed');
    if (isCopied) setTimeout(close, shownMilliseconds);
  };
  return (
    <span className="conversation-menu">
      <button
        type="button"
        className="button button-quiet"
        popoverTarget={id}
        title={tHeader('menu')}
        aria-label={tHeader('menu')}
        onClick={() => {
          setCopied(undefined);
          setOffered(registry.commands());
        }}
      >
        <Icon name="more" />
      </button>
      <div ref={menu} id={id} className="account-menu" popover="auto">
        {ways
          .filter(({ name }) => offered[name] !== undefined)
          .map(({ name, icon }) => {
            const isCopied = name === 'copyConversation' && copied === 'copied';
            return (
              <Button key={name} kind="quiet" onClick={() => run(name)}>
                <Icon name={isCopied ? 'tick' : icon} />
                {isCopied ? tCopy('copied') : t(name)}
              </Button>
            );
          })}
        <p role="status" className={copied === 'failed' ? 'copy-failed' : 'visually-hidden'}>
          {copied && tCopy(copied)}
        </p>
      </div>
    </span>
  );
}

/** Says that nothing can be sent at present; gone again once the session could be read. It has its place in the header, and covers nothing. */
function OfflineNotice() {
  const t = useTranslations('session');
  const persistenceHint = usePersistenceHint();
  const isOnline = useSyncExternalStore(subscribe, () => navigator.onLine);
  const { error } = useSession();
  const isCutOff = !isOnline || isUnreachable(error);
  return (
    <div role="status" className="offline-place">
      {isCutOff && (
        <p className="offline">
          <span className="offline-whole">
            {t(isOnline ? 'unreachableNow' : 'offline') + persistenceHint('typing')}
          </span>
          <span className="offline-short" aria-hidden="true">
            {t(isOnline ? 'unreachableShort' : 'offlineShort')}
          </span>
        </p>
      )}
    </div>
  );
}

function subscribe(onChange: () => void): () => void {
  window.addEventListener('online', onChange);
  window.addEventListener('offline', onChange);
  return () => {
    window.removeEventListener('online', onChange);
    window.removeEventListener('offline', onChange);
  };
}
