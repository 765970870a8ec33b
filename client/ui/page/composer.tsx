import {
  type ClipboardEvent,
  type FormEvent,
  type KeyboardEvent,
  memo,
  type ReactNode,
  useEffect,
  useRef,
  useState,
} from 'react';
import { useTranslations } from 'use-intl/react';
import { isBlank } from '../../../shared/messages.ts';
import { hasFiles } from '../../browser/drops.ts';
import { isPointerCoarse } from '../../browser/use-media.ts';
import { useWindowEvent } from '../../browser/use-window-event.ts';
import type { Conversation } from '../../chat/conversation-interface.ts';
import { type ConversationState, canQueue, canSend, isQueueFull } from '../../chat/conversation-state.ts';
import { Button } from '../../controls/button.tsx';
import { Countdown, useDistantTime } from '../../controls/countdown.tsx';
import { directionOf } from '../../controls/direction-of.ts';
import { Icon } from '../../controls/icon.tsx';
import { isSendKey } from '../../settings/settings.ts';
import { useEnterMeaning } from '../../settings/settings-provider.tsx';
import { type TurnActions, useSelection } from '../../turns/use-turn.ts';
import { useKeyboardInset } from './keyboard-inset.ts';

export const messageFieldId = 'message';

/** Returns the message field, or on touch devices the main element: the field would open the keyboard over the text. */
export function composerFocusTarget(): HTMLElement | null {
  return document.getElementById(isPointerCoarse() ? 'main' : messageFieldId);
}

function isPlainArrowUp({ key, shiftKey, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  return key === 'ArrowUp' && !shiftKey && !ctrlKey && !metaKey && !altKey;
}

type ComposerState = Pick<ConversationState, 'phase' | 'cooldownUntil' | 'waitsForOtherTab' | 'draft'> & {
  hasTurns: boolean;
  /** The number of turns after the one whose question is being edited. */
  laterTurnCount: number;
};

/** Selects only what the composer shows, so that a streaming reply does not render it again. */
function selectComposerState(state: ConversationState): ComposerState {
  const { phase, cooldownUntil, waitsForOtherTab, draft, turns } = state;
  const editedIndex = draft.editedId === null ? -1 : turns.findIndex(({ id }) => id === draft.editedId);
  const later = editedIndex === -1 ? [] : turns.slice(editedIndex + 1).filter(({ isContinuation }) => !isContinuation);
  return { phase, cooldownUntil, waitsForOtherTab, draft, hasTurns: turns.length > 0, laterTurnCount: later.length };
}

type ComposerProps = {
  conversation: Conversation;
  actions: TurnActions;
  /** Memoized by the caller: a new element would render the composer again. */
  footnote: ReactNode;
  /** Names the conversation whose reply the queued questions wait for, if the page knows it. */
  waitReason: ReactNode;
};

export const Composer = memo(function Composer({ conversation, actions, footnote, waitReason }: ComposerProps) {
  const t = useTranslations('composer');
  const state = useSelection(conversation, selectComposerState);
  const { text, setAside, queued } = state.draft;
  const isEditing = setAside !== null;
  const id = messageFieldId;
  const field = useRef<HTMLTextAreaElement>(null);
  const meaning = useEnterMeaning();
  const [isFileRefused, setIsFileRefused] = useState(false);
  // `:focus-visible` always matches a focused text field, so it cannot tell whether the user pressed Tab.
  const [isReachedByTab, setIsReachedByTab] = useState(false);
  useKeyboardInset();
  useWindowEvent('drop', ({ dataTransfer }) => {
    if (hasFiles(dataTransfer)) setIsFileRefused(true);
  });

  useEffect(() => {
    if (isEditing) field.current?.focus();
  }, [isEditing]);

  const send = () => {
    setIsFileRefused(false);
    if (canQueue(state)) conversation.queue(text);
    else actions.send(text);
    if (isPointerCoarse()) field.current?.blur();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    send();
  };
  const cancelEdit = () => {
    conversation.cancelEdit();
    composerFocusTarget()?.focus();
  };
  const onPaste = ({ clipboardData }: ClipboardEvent) => {
    // Word and Excel copy a picture along with the text. The field inserts the text.
    if (hasFiles(clipboardData) && !clipboardData.types.includes('text/plain')) setIsFileRefused(true);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') conversation.cancelEdit();
    if (isPlainArrowUp(event) && text === '' && state.hasTurns) {
      event.preventDefault();
      if (queued.length > 0) conversation.unqueue();
      else conversation.edit();
      return;
    }
    if (!isSendKey(event, meaning)) return;
    event.preventDefault();
    send();
  };

  return (
    <form className="composer" onSubmit={submit}>
      <div className="composer-box" data-reached-by-tab={isReachedByTab || undefined}>
        <QueuedQuestions
          state={state}
          waitReason={waitReason}
          onSend={actions.sendQueued}
          onUnqueue={(index) => {
            conversation.unqueue(index);
            field.current?.focus();
          }}
          onRemove={(index) => {
            conversation.removeQueued(index);
            field.current?.focus();
          }}
        />
        {isEditing && (
          <div className="composer-head">
            <p>{t('editing', { count: state.laterTurnCount })}</p>
            <Button kind="action" onClick={cancelEdit}>
              {t('cancelEdit')}
            </Button>
          </div>
        )}
        {isFileRefused && (
          <p className="composer-refusal" role="alert">
            {t('noFiles')}
          </p>
        )}
        {isQueueFull(state) && !isBlank(text) && (
          <p className="composer-refusal" role="status">
            {t('queueFull')}
          </p>
        )}
        <label className="visually-hidden" htmlFor={id}>
          {t('message')}
        </label>
        <div className="composer-field" data-text={text}>
          <textarea
            ref={field}
            id={id}
            rows={1}
            dir={directionOf(text)}
            placeholder={t('placeholder')}
            enterKeyHint={meaning === 'send' ? 'send' : 'enter'}
            value={text}
            onChange={(event) => {
              setIsFileRefused(false);
              conversation.setDraft(event.target.value);
            }}
            onPaste={onPaste}
            onKeyDown={onKeyDown}
            onKeyUp={({ key }) => {
              if (key === 'Tab') setIsReachedByTab(true);
            }}
            onBlur={() => setIsReachedByTab(false)}
          />
        </div>
        <SendButton state={state} onStop={conversation.stop} />
      </div>
      <p className="footnote">{footnote}</p>
    </form>
  );
});

type QueuedQuestionsProps = Pick<ComposerProps, 'waitReason'> & {
  state: ComposerState;
  onSend: () => void;
  onUnqueue: (index: number) => void;
  onRemove: (index: number) => void;
};

/** A queued question is sent once the reply before it is complete, or on “Send now”. */
function QueuedQuestions({ state, waitReason, onSend, onUnqueue, onRemove }: QueuedQuestionsProps) {
  const t = useTranslations('composer');
  const { queued } = state.draft;
  const isWaiting = state.phase.name === 'idle' && !state.waitsForOtherTab;
  const reason = () => {
    if (state.waitsForOtherTab) return waitReason ?? t('queuedElsewhere');
    return t(isWaiting ? 'queuedWaits' : 'queued');
  };
  // The region is rendered while empty, because screen readers announce only changes of an existing element.
  return (
    <div className={queued.length === 0 ? 'visually-hidden' : 'composer-queued'} role="status">
      {queued.length > 0 && (
        <div className="composer-head">
          <p className="composer-queued-reason">{reason()}</p>
          {isWaiting && (
            <Button kind="action" disabled={!canSend(state)} onClick={onSend}>
              {t('sendQueued')}
            </Button>
          )}
        </div>
      )}
      <ul>
        {queued.map((question, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the same question can be queued twice.
          <li key={index}>
            <Icon name="clock" />
            <p dir={directionOf(question)} title={question}>
              {question}
            </p>
            <Button
              kind="action"
              title={t('cancelAndEdit')}
              aria-label={t('cancelAndEdit')}
              onClick={() => onUnqueue(index)}
            >
              <Icon name="pencil" />
            </Button>
            <Button kind="action" title={t('unqueue')} aria-label={t('unqueue')} onClick={() => onRemove(index)}>
              <Icon name="cross" />
            </Button>
          </li>
        ))}
      </ul>
    </div>
  );
}

type SendButtonProps = { state: ComposerState; onStop: () => void };

/** During a turn, Stop and, for text that can be queued, “Send after this reply”; otherwise Send, with the remaining cooldown. */
function SendButton({ state, onStop }: SendButtonProps) {
  const t = useTranslations('composer');
  const { phase, cooldownUntil, draft } = state;
  if (phase.name !== 'idle') {
    return (
      <>
        <Button onClick={onStop} title={t('stopWithKey')}>
          <Icon name="stop" />
          <span className="visually-hidden">{t('stop')}</span>
        </Button>
        {canQueue(state) && !isBlank(draft.text) && (
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
      {cooldownUntil !== null && <CooldownText deadline={cooldownUntil} />}
      <Button kind="primary" type="submit" disabled={!canSend(state) || isBlank(draft.text)}>
        <Icon name="send" />
        <span className="visually-hidden">{t('send')}</span>
      </Button>
    </>
  );
}

function CooldownText({ deadline }: { deadline: number }) {
  const t = useTranslations('composer');
  const when = useDistantTime(deadline);
  return (
    <p className="composer-wait">
      {when === undefined
        ? t.rich('sendIn', { countdown: () => <Countdown deadline={deadline} /> })
        : t('sendAt', { when })}
    </p>
  );
}
