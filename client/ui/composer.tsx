import { type FormEvent, type KeyboardEvent, useEffect, useRef } from 'react';
import type { Conversation } from '../chat/conversation.ts';
import { type ConversationState, canSend } from '../chat/conversation-state.ts';
import { Button } from './button.tsx';
import { Countdown } from './countdown.tsx';
import { useKeptFocus } from './use-kept-focus.ts';

export const messageFieldId = 'message';

type ComposerProps = { conversation: Conversation; state: ConversationState; footnote: string };

export function Composer({ conversation, state, footnote }: ComposerProps) {
  const { draft, setAside, phase, blockedUntil } = state;
  const isEditing = setAside !== null;
  const id = messageFieldId;
  const field = useRef<HTMLTextAreaElement>(null);
  useKeptFocus(field);

  useEffect(() => {
    if (isEditing) field.current?.focus();
  }, [isEditing]);

  const send = () => conversation.send(draft);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    send();
  };
  const sendOrCancel = (event: KeyboardEvent) => {
    // Enter also confirms what an input method proposes. Safari ends the composition first and tells by code 229 alone.
    const isComposing = event.nativeEvent.isComposing || event.keyCode === 229;
    if (isComposing) return;
    if (event.key === 'Escape') conversation.cancelEdit();
    if (event.key !== 'Enter' || event.shiftKey) return;
    event.preventDefault();
    send();
  };

  return (
    <form className="composer" onSubmit={submit}>
      {isEditing && (
        <div className="composer-edit">
          <p>You are editing your last question. Its reply will be replaced.</p>
          <Button kind="quiet" onClick={conversation.cancelEdit}>
            Cancel edit
          </Button>
        </div>
      )}
      <p id={`${id}-wait`} className="composer-wait" hidden={blockedUntil === null}>
        The service asks to wait before the next message.
      </p>
      <div className="composer-box">
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
        {phase.name !== 'idle' ? (
          <Button onClick={conversation.stop}>Stop</Button>
        ) : (
          <Button
            kind="primary"
            type="submit"
            disabled={!canSend(state) || draft.trim() === ''}
            aria-describedby={blockedUntil === null ? undefined : `${id}-wait`}
          >
            Send{' '}
            {blockedUntil !== null && (
              <>
                in <Countdown deadline={blockedUntil} />
              </>
            )}
          </Button>
        )}
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
