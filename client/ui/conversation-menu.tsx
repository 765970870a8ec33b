import { useId, useRef, useState } from 'react';
import { useTranslations } from 'use-intl/react';
import type { CommandName, Commands } from '../commands/command-registry.ts';
import { useCommandRegistry } from '../commands/commands-provider.tsx';
import { Button } from '../controls/button.tsx';
import { Icon, type IconName } from '../controls/icon.tsx';

const items = [
  { name: 'renameConversation', icon: 'pencil' },
  { name: 'pinConversation', icon: 'pin' },
  { name: 'unpinConversation', icon: 'pin' },
  { name: 'copyConversation', icon: 'transcript' },
  { name: 'downloadConversation', icon: 'download' },
  { name: 'exportConversation', icon: 'export' },
  { name: 'print', icon: 'print' },
  { name: 'deleteConversation', icon: 'bin' },
] as const satisfies readonly { name: CommandName; icon: IconName }[];

const copiedMilliseconds = 1500;

/** The commands for the open conversation that the page offers. */
export function ConversationMenu() {
  const t = useTranslations('conversationMenu');
  const tCopy = useTranslations('copying');
  const tHeader = useTranslations('header');
  const registry = useCommandRegistry();
  const [available, setAvailable] = useState<Commands>({});
  const [copyResult, setCopyResult] = useState<'copied' | 'failed'>();
  const menu = useRef<HTMLDivElement>(null);
  const id = useId();

  const close = () => menu.current?.hidePopover();
  const run = async (name: CommandName) => {
    if (name !== 'copyConversation') {
      close();
      registry.run(name);
      return;
    }
    const isCopied = await available.copyConversation?.();
    setCopyResult(isCopied ? 'copied' : 'failed');
    if (isCopied) setTimeout(close, copiedMilliseconds);
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
          setCopyResult(undefined);
          setAvailable(registry.commands());
        }}
      >
        <Icon name="more" />
      </button>
      <div ref={menu} id={id} className="header-menu" popover="auto">
        {items
          .filter(({ name }) => available[name] !== undefined)
          .map(({ name, icon }) => {
            const isCopied = name === 'copyConversation' && copyResult === 'copied';
            return (
              <Button key={name} kind={name === 'deleteConversation' ? 'danger' : 'quiet'} onClick={() => run(name)}>
                <Icon name={isCopied ? 'tick' : icon} />
                {isCopied ? tCopy('copied') : t(name)}
              </Button>
            );
          })}
        <p role="status" className={copyResult === 'failed' ? 'copy-failed' : 'visually-hidden'}>
          {copyResult && tCopy(copyResult)}
        </p>
      </div>
    </span>
  );
}
