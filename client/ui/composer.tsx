import { type FormEvent, type KeyboardEvent, useEffect, useRef } from 'react';
import { useTranslations } from 'use-intl/react';
import type { Conversation } from '../chat/conversation.ts';
import type { ConversationState } from '../chat/conversation-state.ts';
import { Button } from '../controls/button.tsx';
import { keyNames } from '../controls/key-names.ts';
import { sends } from '../settings/enter-meaning.ts';
import { isPointerCoarse } from '../settings/use-coarse-pointer.ts';
import { useEnterMeaning } from '../settings/use-enter-meaning.ts';
import type { AskTurn } from '../turns/use-turn.ts';
import { SendButton } from './send-button.tsx';
import { useKeptFocus } from './use-kept-focus.ts';
import { useKeyboardInset } from './use-keyboard-inset.ts';

export const messageFieldId = 'message';

type ComposerProps = { conversation: Conversation; state: ConversationState; turn: AskTurn; footnote: string };

export function Composer({ conversation, state, turn, footnote }: ComposerProps) {
  const say = useTranslations('composer');
  const { draft, setAside } = state;
  const isEditing = setAside !== null;
  const id = messageFieldId;
  const field = useRef<HTMLTextAreaElement>(null);
  const meaning = useEnterMeaning();
  // With a finger, the focus on the field would open a keyboard over what is being read.
  useKeptFocus(() => (isPointerCoarse() ? document.getElementById('main') : field.current));
  useKeyboardInset();

  useEffect(() => {
    if (isEditing) field.current?.focus();
  }, [isEditing]);

  const send = () => {
    turn.send(draft);
    if (isPointerCoarse()) field.current?.blur();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    send();
  };
  const sendOrCancel = (event: KeyboardEvent) => {
    // Enter also confirms what an input method proposes. Safari ends the composition first and tells by code 229 alone.
    const isComposing = event.nativeEvent.isComposing || event.keyCode === 229;
    if (isComposing) return;
    if (event.key === 'Escape') conversation.cancelEdit();
    if (!sends(event, meaning)) return;
    event.preventDefault();
    send();
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
          {say('message')}
        </label>
        <textarea
          ref={field}
          id={id}
          rows={1}
          dir="auto"
          placeholder={say('placeholder')}
          enterKeyHint={meaning === 'send' ? 'send' : 'enter'}
          value={draft}
          onChange={(event) => conversation.setDraft(event.target.value)}
          onKeyDown={sendOrCancel}
          aria-describedby={`${id}-hint`}
        />
        <SendButton state={state} onStop={conversation.stop} />
      </div>
      <p className="footnote">
        <span id={`${id}-hint`} className="footnote-keys">
          {say(meaning === 'send' ? 'enterSends' : 'enterBreaks', { command: keyNames.command })}
        </span>{' '}
        {footnote}
      </p>
    </form>
  );
}
