import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { useTranslations } from 'use-intl/react';
import { directionOf } from '../../controls/direction-of.ts';
import { maxNameCharacters } from '../../device/conversation-title.ts';

type ConversationNameFieldProps = {
  className: string;
  name: string;
  onSave: (name: string) => void;
  onCancel: () => void;
  /** Called instead of `onSave` when the focus leaves the form. Without it, the form stays open. */
  onBlur?: (name: string) => void;
  /** Rendered after the field, for example a Save button. */
  children?: ReactNode;
};

export function ConversationNameField(props: ConversationNameFieldProps) {
  const { className, name, onSave, onCancel, onBlur, children } = props;
  const t = useTranslations('conversations');
  const [draft, setDraft] = useState(name);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    // Not every browser moves the focus on `select`.
    field.current?.focus();
    field.current?.select();
  }, []);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSave(draft);
  };
  return (
    <form
      className={className}
      onSubmit={submit}
      onBlur={({ currentTarget, relatedTarget }) => {
        if (!currentTarget.contains(relatedTarget)) onBlur?.(draft);
      }}
    >
      <input
        ref={field}
        aria-label={t('name')}
        autoComplete="off"
        dir={directionOf(draft)}
        // Typing ends at the limit, so that nothing that was typed disappears on saving.
        maxLength={maxNameCharacters}
        value={draft}
        onChange={(event) => setDraft(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return;
          // Escape must not also close the surrounding drawer or stop a running reply.
          event.preventDefault();
          onCancel();
        }}
      />
      {children}
    </form>
  );
}
