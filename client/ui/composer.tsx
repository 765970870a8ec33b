import { type FormEvent, type KeyboardEvent, type MouseEvent, useEffect, useRef } from 'react';
import { useTranslations } from 'use-intl/react';
import { isBlank } from '../../shared/messages.ts';
import { canQueue, type Draft } from '../chat/composer.ts';
import type { Conversation } from '../chat/conversation.ts';
import { type ConversationState, canSend } from '../chat/conversation-state.ts';
import { Button } from '../controls/button.tsx';
import { Countdown, useTimeOfLater } from '../controls/countdown.tsx';
import { directionOf } from '../controls/direction-of.ts';
import { Icon } from '../controls/icon.tsx';
import { sends } from '../settings/enter-meaning.ts';
import { useEnterMeaning } from '../settings/in-settings.tsx';
import { isPointerCoarse } from '../settings/use-coarse-pointer.ts';
import { type AskTurn, useDraft } from '../turns/use-turn.ts';
import { useKeyboardInset } from './keyboard-inset.ts';

export const messageFieldId = 'message';

/** Stop takes the place of Send: the second click of a double click on Send falls on it. */
const doubleClickMilliseconds = 500;

function isPlainArrowUp({ key, shiftKey, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  return key === 'ArrowUp' && !shiftKey && !ctrlKey && !metaKey && !altKey;
}

type ComposerProps = {
  conversation: Conversation;
  state: ConversationState;
  turn: AskTurn;
  footnote: string | undefined;
};

export function Composer({ conversation, state, turn, footnote }: ComposerProps) {
  const t = useTranslations('composer');
  const { turns } = state;
  const { composer } = conversation;
  const kept = useDraft(conversation, (all) => all);
  const { draft, setAside, queued } = kept;
  const isEditing = setAside !== null;
  const id = messageFieldId;
  const field = useRef<HTMLTextAreaElement>(null);
  const submittedAt = useRef(Number.NEGATIVE_INFINITY);
  const meaning = useEnterMeaning();
  // With a finger, the focus on the field would open a keyboard over what is being read.
  useKeptFocus(() => (isPointerCoarse() ? document.getElementById('main') : field.current));
  useKeyboardInset();

  useEffect(() => {
    if (isEditing) field.current?.focus();
  }, [isEditing]);

  const send = () => {
    if (canQueue(state, kept)) composer.queue(draft);
    else turn.send(draft);
    if (isPointerCoarse()) field.current?.blur();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    submittedAt.current = event.timeStamp;
    send();
  };
  const stop = (event: MouseEvent) => {
    if (event.timeStamp - submittedAt.current >= doubleClickMilliseconds) conversation.stop();
  };
  const sendOrCancel = (event: KeyboardEvent) => {
    // Enter also confirms what an input method proposes. Safari ends the composition first and tells by code 229 alone.
    const isComposing = event.nativeEvent.isComposing || event.keyCode === 229;
    if (isComposing) return;
    if (event.key === 'Escape') composer.cancelEdit();
    if (isPlainArrowUp(event) && draft === '' && turns.length > 0) {
      event.preventDefault();
      if (queued.length > 0) composer.takeBack();
      else composer.edit();
      return;
    }
    if (!sends(event, meaning)) return;
    event.preventDefault();
    send();
  };

  return (
    <form className="composer" onSubmit={submit}>
      <div className="composer-box">
        <QueuedQuestions
          state={state}
          queued={queued}
          onSend={turn.sendQueued}
          onTakeBack={(index) => {
            composer.takeBack(index);
            field.current?.focus();
          }}
        />
        {isEditing && (
          <div className="composer-edit">
            <p>{t('editing')}</p>
            <Button kind="action" onClick={composer.cancelEdit}>
              {t('cancelEdit')}
            </Button>
          </div>
        )}
        <label className="visually-hidden" htmlFor={id}>
          {t('message')}
        </label>
        <textarea
          ref={field}
          id={id}
          rows={1}
          dir={directionOf(draft)}
          placeholder={t('placeholder')}
          enterKeyHint={meaning === 'send' ? 'send' : 'enter'}
          value={draft}
          onChange={(event) => composer.setDraft(event.target.value)}
          onKeyDown={sendOrCancel}
        />
        <SendButton state={state} draft={kept} onStop={stop} />
      </div>
      {footnote && <p className="footnote">{footnote}</p>}
    </form>
  );
}

type QueuedQuestionsProps = {
  state: ConversationState;
  queued: readonly string[];
  onSend: () => void;
  onTakeBack: (index: number) => void;
};

/** The questions in line, above the message field: each goes out when the reply before it has ended whole, or else waits for the person. */
function QueuedQuestions({ state, queued, onSend, onTakeBack }: QueuedQuestionsProps) {
  const t = useTranslations('composer');
  const waits = state.phase.name === 'idle' && !state.isBusyElsewhere;
  const words = state.isBusyElsewhere ? 'queuedElsewhere' : 'queued';
  const isEmpty = queued.length === 0;
  return (
    <div className={isEmpty ? 'visually-hidden' : 'composer-queued'}>
      {/* There before it has something to say: screen readers tell of changes only. */}
      <div role="status">
        {!isEmpty && <p>{t(waits ? 'queuedWaits' : words)}</p>}
        {queued.map((question, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the same question can be in line twice.
          <div className="composer-queued-line" key={index}>
            <p className="composer-queued-question" dir={directionOf(question)}>
              {question}
            </p>
            <Button kind="action" onClick={() => onTakeBack(index)}>
              {t('takeBack')}
            </Button>
          </div>
        ))}
      </div>
      {!isEmpty && waits && (
        <Button kind="action" disabled={!canSend(state)} onClick={onSend}>
          {t('sendQueued')}
        </Button>
      )}
    </div>
  );
}

type SendButtonProps = { state: ConversationState; draft: Draft; onStop: (event: MouseEvent) => void };

/** Sends what is typed; stops the turn while one runs, and puts what is typed in line behind it. While the service takes none, the time until then stands beside it. */
function SendButton({ state, draft, onStop }: SendButtonProps) {
  const t = useTranslations('composer');
  const { phase, blockedUntil } = state;
  if (phase.name !== 'idle') {
    return (
      <>
        <Button onClick={onStop} title={t('stopWithKey')}>
          <Icon name="stop" />
          <span className="visually-hidden">{t('stop')}</span>
        </Button>
        {canQueue(state, draft) && !isBlank(draft.draft) && (
          <Button kind="primary" type="submit" title={t('sendNext')}>
            <Icon name="send" />
            <span className="visually-hidden">{t('sendNext')}</span>
          </Button>
        )}
      </>
    );
  }
  return (
    <>
      {blockedUntil !== null && <SendLater deadline={blockedUntil} />}
      <Button kind="primary" type="submit" disabled={!canSend(state) || isBlank(draft.draft)}>
        <Icon name="send" />
        <span className="visually-hidden">{t('send')}</span>
      </Button>
    </>
  );
}

function SendLater({ deadline }: { deadline: number }) {
  const t = useTranslations('composer');
  const when = useTimeOfLater(deadline);
  return (
    <p className="composer-wait">
      {when === undefined
        ? t.rich('sendIn', { countdown: () => <Countdown deadline={deadline} /> })
        : t('sendAt', { when })}
    </p>
  );
}

/**
 * Gives the focus to what `heir` returns when the control that has it goes away or is disabled, a Stop button at the end of a reply,
 * say: the keyboard would be nowhere. A focus that was on nothing stays there, so that no selected text is lost.
 */
function useKeptFocus(heir: () => HTMLElement | null): void {
  const focused = useRef<Element>(null);

  useEffect(() => {
    const note = () => {
      focused.current = document.activeElement;
    };
    document.addEventListener('focusin', note);
    document.addEventListener('click', note, true);
    return () => {
      document.removeEventListener('focusin', note);
      document.removeEventListener('click', note, true);
    };
  }, []);

  useEffect(() => {
    const { current } = focused;
    if (current === null || (current.isConnected && !current.matches(':disabled'))) return;
    if (document.activeElement === document.body || document.activeElement === current) heir()?.focus();
  });
}
