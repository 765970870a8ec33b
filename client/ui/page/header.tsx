import { type ReactNode, useSyncExternalStore } from 'react';
import { useTranslations } from 'use-intl/react';
import { Link } from 'wouter';
import { pages } from '../../../shared/interface.ts';
import { useCommandRegistry, useRegisterCommands } from '../../commands/commands-provider.tsx';
import { Button } from '../../controls/button.tsx';
import { Icon } from '../../controls/icon.tsx';
import { isUnreachable, useSession } from '../../session/session.ts';
import { ConversationMenu } from './conversation-menu.tsx';
import { usePersistenceHint } from './use-persistence-hint.ts';

type HeaderProps = {
  listButton?: ReactNode;
  /** The title of the open conversation, shown with its menu. Absent while the conversation is empty. */
  title?: ReactNode;
  /** Whether the settings are in the header. Live chat has them in the account's menu. */
  hasSettings?: boolean;
  onNewConversation?: (() => void) | undefined;
  banner?: ReactNode;
  children?: ReactNode;
};

export function Header(props: HeaderProps) {
  const { listButton, title, hasSettings = false, onNewConversation, banner, children } = props;
  const t = useTranslations('header');
  const registry = useCommandRegistry();
  const { data: session } = useSession();
  useRegisterCommands(onNewConversation ? { newConversation: onNewConversation } : {});
  return (
    <header className={listButton ? 'header header-with-list' : 'header'}>
      <div className="header-row">
        <div className="header-start">
          {listButton}
          <Link className="brand" href={session?.user ? pages.chat : pages.demo} aria-label="Advisory Chat">
            <svg className="brand-mark" viewBox="0 0 32 32" aria-hidden="true">
              <rect width="32" height="32" rx="9" />
              <path d="M8 22V11.5A2.5 2.5 0 0 1 10.5 9h11a2.5 2.5 0 0 1 2.5 2.5v6a2.5 2.5 0 0 1-2.5 2.5H11z" />
            </svg>
            <span className="brand-name">Advisory Chat</span>
          </Link>
        </div>
        <div className="header-middle">
          {title && (
            <>
              {title}
              <ConversationMenu />
            </>
          )}
          <OfflineNotice />
        </div>
        <div className="header-end">
          {onNewConversation && (
            <span className="header-new">
              <Button kind="quiet" onClick={onNewConversation} aria-label={t('newConversation')}>
                <Icon name="plus" />
                <span className="icon-label">{t('newConversation')}</span>
              </Button>
            </span>
          )}
          {hasSettings && (
            <Button
              kind="quiet"
              aria-haspopup="dialog"
              aria-label={t('settings')}
              title={t('settings')}
              onClick={() => registry.run('settings')}
            >
              <Icon name="settings" />
            </Button>
          )}
          {children}
        </div>
      </div>
      {banner}
    </header>
  );
}

/** Shown while the browser is offline or the service cannot be reached. It is part of the header, so that it covers nothing. */
function OfflineNotice() {
  const t = useTranslations('session');
  const persistenceHint = usePersistenceHint();
  const isOnline = useSyncExternalStore(subscribeToOnline, () => navigator.onLine);
  const { error } = useSession();
  const isUnavailable = !isOnline || isUnreachable(error);
  return (
    <div role="status" className="offline-status">
      {isUnavailable && (
        <p className="offline">
          <span className="offline-full">{t(isOnline ? 'unreachableNow' : 'offline') + persistenceHint('typing')}</span>
          <span className="offline-short" aria-hidden="true">
            {t(isOnline ? 'unreachableShort' : 'offlineShort')}
          </span>
        </p>
      )}
    </div>
  );
}

function subscribeToOnline(onChange: () => void): () => void {
  window.addEventListener('online', onChange);
  window.addEventListener('offline', onChange);
  return () => {
    window.removeEventListener('online', onChange);
    window.removeEventListener('offline', onChange);
  };
}
