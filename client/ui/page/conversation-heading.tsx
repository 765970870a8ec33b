import '../../styles/conversation-title.css';
import { type MouseEvent, useEffect, useRef, useState } from 'react';
import { useTranslations } from 'use-intl/react';
import { useRegisterCommands } from '../../commands/commands-provider.tsx';
import { Button } from '../../controls/button.tsx';
import { Icon } from '../../controls/icon.tsx';
import { ConversationNameField } from './conversation-name-field.tsx';

type ConversationHeadingProps = { title: string; onRename: (name: string) => void };

/** Shows the title as a button, which a click or the rename command turns into a field. */
export function ConversationHeading({ title, onRename }: ConversationHeadingProps) {
  const t = useTranslations('conversations');
  const tCommand = useTranslations('commands');
  const [isRenaming, setIsRenaming] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const hasClosedForm = useRef(false);
  useRegisterCommands({ renameConversation: () => setIsRenaming(true) });

  useEffect(() => {
    if (!isRenaming && hasClosedForm.current) button.current?.focus();
    hasClosedForm.current = false;
  }, [isRenaming]);

  const save = (name: string) => {
    if (name !== title) onRename(name);
    setIsRenaming(false);
  };
  const closeForm = (close: () => void) => {
    hasClosedForm.current = true;
    close();
  };
  const cancel = () => closeForm(() => setIsRenaming(false));
  if (isRenaming) {
    return (
      <ConversationNameField
        className="header-name"
        name={title}
        onSave={(name) => closeForm(() => save(name))}
        onCancel={cancel}
        // Removing the field also blurs it, after the name was saved or the edit cancelled.
        onBlur={(name) => {
          if (!hasClosedForm.current) save(name);
        }}
      >
        <Button kind="quiet" aria-label={tCommand('cancel')} onMouseDown={keepFocus} onClick={cancel}>
          <Icon name="cross" />
        </Button>
        <Button kind="quiet" type="submit" aria-label={t('save')} onMouseDown={keepFocus}>
          <Icon name="tick" />
        </Button>
      </ConversationNameField>
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

/** Keeps the focus in the field, because a blur would save the name, and Safari does not focus a pressed button. */
function keepFocus(event: MouseEvent): void {
  event.preventDefault();
}
