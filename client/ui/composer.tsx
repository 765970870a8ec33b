import { type FormEvent, type KeyboardEvent, useEffect, useRef } from 'react';
import { useTranslations } from 'use-intl/react';
import type { Conversation } from '../chat/conversation.ts';
import type { ConversationState } from '../chat/conversation-state.ts';
import type { AskTurn } from '../turns/use-turn.ts';
import { Button } from './button.tsx';
import { SendButton } from './send-button.tsx';
import { useKeptFocus } from './use-kept-focus.ts';

export const messageFieldId = 'message';

type ComposerProps = { conversation: Conversation; state: ConversationState; turn: AskTurn; footnote: string };

export function Composer({ conversation, state, turn, footnote }: ComposerProps) {
  const say = useTranslations('composer');
  const { draft, setAside } = state;
  const isEditing = setAside !== null;
  const id = messageFieldId;
  const field = useRef<HTMLTextAreaElement>(null);
  useKeptFocus(field);

  useEffect(() => {
    if (isEditing) field.current?.focus();
  }, [isEditing]);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    turn.send(draft);
  };
  const sendOrCancel = (event: KeyboardEvent) => {
    // Enter also confirms what an input method proposes. Safari ends the composition first and tells by code 229 alone.
    const isComposing = event.nativeEvent.isComposing || event.keyCode === 229;
    if (isComposing) return;
    if (event.key === 'Escape') conversation.cancelEdit();
    if (event.key !== 'Enter' || event.shiftKey) return;
    event.preventDefault();
    turn.send(draft);
  };

  return (
    <form className="composer" onSubmit={submit}>
      <div className="composer-box">
        {isEditing && (
          <div className="composer-edit">
            <p>{say('editing')}</p>
            <Button kind="action" onClick={conversation.cancelEdit}>
              {say('cancelEdit')}
            </Button>
          </div>
        )}
        <label className="visually-hidden" htmlFor={id}>
          Message
        </label>
        <textarea
          ref={field}
          id={id}
          rows={1}
          dir="auto"
          placeholder="Ask about the engagement"
          value={draft}
          onChange={(event) => conversation.setDraft(event.target.value)}
          onKeyDown={sendOrCancel}
          aria-describedby={`${id}-hint`}
        />
        <SendButton state={state} onStop={conversation.stop} />
      </div>
      <p className="footnote">
        <span id={`${id}-hint`} className="footnote-keys">
          Enter sends, Shift+Enter breaks the line.
        </span>{' '}
        {footnote}
      </p>
    </form>
  );
}
