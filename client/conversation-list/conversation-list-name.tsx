import { type FormEvent, useEffect, useRef, useState } from 'react';
import { useTranslations } from 'use-intl/react';
import { Button } from '../controls/button.tsx';

type NameProps = { name: string; onName: (name: string) => void; onCancel: () => void };

/** Takes a new name for a conversation. Escape leaves it as it is. */
export function ConversationListName({ name, onName, onCancel }: NameProps) {
  const say = useTranslations('conversations');
  const [typed, setTyped] = useState(name);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.select(), []);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    onName(typed);
  };
  return (
    <form className="entry-name" onSubmit={submit}>
      <input
        ref={field}
        aria-label={say('name')}
        dir="auto"
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape' || event.nativeEvent.isComposing) return;
          // The drawer around this stays open.
          event.preventDefault();
          onCancel();
        }}
      />
      <Button type="submit">{say('save')}</Button>
    </form>
  );
}
