import type { ReactNode } from 'react';
import { useTranslations } from 'use-intl/react';
import { Link } from 'wouter';
import { pages } from '../../shared/interface.ts';
import { useCommandRegistry, useOfferedCommands } from '../commands/in-commands.tsx';
import { Button } from '../controls/button.tsx';
import { Icon } from '../controls/icon.tsx';
import { OfflineNotice } from './offline-notice.tsx';

type HeaderProps = {
  /** Stands before the name of the product. */
  start?: ReactNode;
  badge?: string;
  /** Where the settings have no place elsewhere on the page. */
  hasSettings?: boolean;
  onNewConversation?: (() => void) | undefined;
  children?: ReactNode;
};

export function Header({ start, badge, hasSettings = false, onNewConversation, children }: HeaderProps) {
  const say = useTranslations('header');
  const registry = useCommandRegistry();
  useOfferedCommands(onNewConversation ? { newConversation: onNewConversation } : {});
  return (
    <header className="header">
      <div className="header-row">
        {start}
        <Link className="brand" href={pages.demo} aria-label="Advisory Chat">
          <svg className="brand-mark" viewBox="0 0 32 32" aria-hidden="true">
            <rect width="32" height="32" rx="9" />
            <path d="M8 22V11.5A2.5 2.5 0 0 1 10.5 9h11a2.5 2.5 0 0 1 2.5 2.5v6a2.5 2.5 0 0 1-2.5 2.5H11z" />
          </svg>
          <span className="brand-name">Advisory Chat</span>
        </Link>
        {badge && <span className="badge">{badge}</span>}
        <div className="header-end">
          {onNewConversation && (
            <span className="header-new">
              <Button kind="quiet" onClick={onNewConversation} aria-label={say('newConversation')}>
                <Icon name="plus" />
                <span className="icon-label">{say('newConversation')}</span>
              </Button>
            </span>
          )}
          {hasSettings && (
            <Button
              kind="quiet"
              aria-haspopup="dialog"
              aria-label={say('settings')}
              title={say('settings')}
              onClick={() => registry.run('settings')}
            >
              <Icon name="settings" />
            </Button>
          )}
          {children}
        </div>
      </div>
      <OfflineNotice />
    </header>
  );
}
