import { useEffect, useRef, useState } from 'react';
import { useTranslations } from 'use-intl/react';
import { useRegisterCommands } from '../commands/commands-provider.tsx';
import { ConversationNameField } from './conversation-name-field.tsx';

type ConversationTitleProps = {
  title: string;
  /** Without this, the title is read-only. */
  onRename?: ((name: string) => void) | undefined;
};

/** The title of the open conversation. A click or the rename command turns it into a field. */
export function ConversationTitle({ title, onRename }: ConversationTitleProps) {
  const t = useTranslations('conversations');
  const [isRenaming, setIsRenaming] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const hasClosedByKey = useRef(false);
  useRegisterCommands(onRename ? { renameConversation: () => setIsRenaming(true) } : {});

  useEffect(() => {
    if (!isRenaming && hasClosedByKey.current) button.current?.focus();
    hasClosedByKey.current = false;
  }, [isRenaming]);

  if (onRename === undefined) {
    return (
      <span className="header-title" title={title}>
        <span dir="auto">{title}</span>
      </span>
    );
  }
  const save = (name: string) => {
    if (name !== title) onRename(name);
    setIsRenaming(false);
  };
  const closeByKey = (close: () => void) => {
    hasClosedByKey.current = true;
    close();
  };
  if (isRenaming) {
    return (
      <ConversationNameField
        className="header-name"
        name={title}
        onSave={(name) => closeByKey(() => save(name))}
        onCancel={() => closeByKey(() => setIsRenaming(false))}
        // Removing the field also blurs it, after the name was saved or the edit cancelled.
        onBlur={(name) => {
          if (!hasClosedByKey.current) save(name);
        }}
      />
    );
  }
  return (
    <button
      ref={button}
      type="button"
      className="header-title"
      title={title}
      aria-label={t('rename', { title })}
      onClick={() => setIsRenaming(true)}
    >
      <span dir="auto">{title}</span>
    </button>
  );
}
