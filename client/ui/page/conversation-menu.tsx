import { useState } from 'react';
import { useTranslations } from 'use-intl/react';
import type { CommandName } from '../../commands/command-registry.ts';
import { useCommandRegistry } from '../../commands/commands-provider.tsx';
import type { IconName } from '../../controls/icon.tsx';
import { Menu, MenuItem } from '../../controls/menu.tsx';

const items = [
  { name: 'pinConversation', icon: 'pin' },
  { name: 'unpinConversation', icon: 'pin' },
  { name: 'renameConversation', icon: 'pencil' },
  { name: 'copyConversation', icon: 'transcript' },
  { name: 'downloadConversation', icon: 'download' },
  { name: 'print', icon: 'print' },
] as const satisfies readonly { name: CommandName; icon: IconName }[];

const copiedMilliseconds = 1500;

export function ConversationMenu() {
  const t = useTranslations('conversationMenu');
  const tCommand = useTranslations('commands');
  const tCopy = useTranslations('copying');
  const tHeader = useTranslations('header');
  const registry = useCommandRegistry();
  const [copyResult, setCopyResult] = useState<'copied' | 'failed'>();

  const itemsOf = (close: () => void, closeThen: (next: () => void) => void) => {
    const commands = registry.commands();
    const copy = async () => {
      const result = (await commands.copyConversation?.()) ? 'copied' : 'failed';
      setCopyResult(result);
      if (result === 'copied') setTimeout(close, copiedMilliseconds);
    };
    const run = (name: CommandName) => {
      if (name === 'copyConversation') return copy();
      closeThen(() => registry.run(name));
    };
    return (
      <>
        {items
          .filter(({ name }) => commands[name] !== undefined)
          .map(({ name, icon }) => {
            const isCopy = name === 'copyConversation';
            const isCopied = isCopy && copyResult === 'copied';
            const label = isCopy ? tCommand(name) : t(name);
            return (
              <MenuItem key={name} icon={isCopied ? 'tick' : icon} onClick={() => run(name)}>
                {isCopied ? tCopy('copied') : label}
              </MenuItem>
            );
          })}
        {commands.deleteConversation && (
          <>
            <hr />
            <MenuItem icon="bin" isDestructive onClick={() => run('deleteConversation')}>
              {t('deleteConversation')}
            </MenuItem>
          </>
        )}
      </>
    );
  };
  return (
    <div className="conversation-menu">
      <Menu
        label={tHeader('menu')}
        buttonClass="button button-quiet"
        onOpen={() => setCopyResult(undefined)}
        bottom={
          <p role="status" className={copyResult === 'failed' ? 'copy-failed' : 'visually-hidden'}>
            {copyResult && tCopy(copyResult)}
          </p>
        }
      >
        {itemsOf}
      </Menu>
    </div>
  );
}
