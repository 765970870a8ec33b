import { type FormEvent, type KeyboardEvent, useId, useRef } from 'react';
import { Button } from './button.tsx';
import { Countdown } from './countdown.tsx';
import { useKeptFocus } from './use-kept-focus.ts';

type ComposerProps = {
  draft: string;
  onDraft: (draft: string) => void;
  onSend: (question: string) => void;
  canSend: boolean;
  /** Present while a turn runs. */
  onStop: (() => void) | undefined;
  blockedUntil: number | null;
  footnote: string;
};

export function Composer({ draft, onDraft, onSend, canSend, onStop, blockedUntil, footnote }: ComposerProps) {
  const id = useId();
  const field = useRef<HTMLTextAreaElement>(null);
  useKeptFocus(field);

  const send = () => {
    if (canSend) onSend(draft);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    send();
  };
  const sendOnEnter = (event: KeyboardEvent) => {
    // Enter also confirms what an input method proposes. Safari ends the composition first and tells by code 229 alone.
    const isComposing = event.nativeEvent.isComposing || event.keyCode === 229;
    if (event.key !== 'Enter' || event.shiftKey || isComposing) return;
    event.preventDefault();
    send();
  };

  return (
    <form className="composer" onSubmit={submit}>
      {blockedUntil !== null && (
        <p className="composer-wait">
          The next message can be sent in <Countdown deadline={blockedUntil} />
        </p>
      )}
      <div className="composer-box">
        <label className="visually-hidden" htmlFor={id}>
          Message
        </label>
        <textarea
          ref={field}
          id={id}
          rows={1}
          placeholder="Ask about the engagement"
          value={draft}
          onChange={(event) => onDraft(event.target.value)}
          onKeyDown={sendOnEnter}
          aria-describedby={`${id}-hint`}
        />
        {onStop ? (
          <Button onClick={onStop}>Stop</Button>
        ) : (
          <Button kind="primary" type="submit" disabled={!canSend || draft.trim() === ''}>
            Send
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
