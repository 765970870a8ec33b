import { type ReactNode, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { useTranslations } from 'use-intl/react';
import { useWindowEvent } from '../browser/use-window-event.ts';
import type { Conversation } from '../chat/conversation-interface.ts';
import { isLastTurnRunningElsewhere, type TurnsState } from '../chat/conversation-state.ts';
import { hasReply } from '../chat/turn.ts';
import { Button } from '../controls/button.tsx';
import { Icon } from '../controls/icon.tsx';
import { Notice } from '../controls/notice.tsx';
import { SkipLink } from '../controls/skip-link.tsx';
import { PrintHeading } from '../documents/print-heading.tsx';
import { hasMarkdownFailed, loadMarkdown, subscribeToMarkdown } from '../markdown/load-markdown.ts';
import { useScrollController } from '../reading/use-scroll-controller.ts';
import { isProblem } from '../turns/problem.ts';
import { type TurnActions, useDraft, useTurnsState } from '../turns/use-turn.ts';
import { Composer, composerFocusTarget, messageFieldId } from './page/composer.tsx';
import { TurnList } from './turn/turn-list.tsx';
import { LastTurnActions, TurnStatus, useRetryReason } from './turn/turn-status.tsx';

type ConversationViewProps = {
  conversation: Conversation;
  /** The title in the conversation list, which the user can change. */
  title?: string | undefined;
  actions: TurnActions;
  footnote: ReactNode;
  notice?: ReactNode;
  /** Shown instead of the general notice that another turn is running, if the page can say which turn. */
  busyNotice?: ReactNode;
  /** Names the reply for which queued questions wait. Memoized, so that it does not render the message field again. */
  waitReason?: ReactNode;
  /** The turn that the page is about to scroll to, which is rendered from the start. */
  targetTurnId?: string | undefined;
  children: ReactNode;
};

export function ConversationView({
  conversation,
  title,
  actions,
  footnote,
  notice,
  busyNotice,
  waitReason,
  targetTurnId,
  children,
}: ConversationViewProps) {
  const t = useTranslations('conversation');
  const state = useTurnsState(conversation);
  const { turns, phase, waitsForOtherTab } = state;
  const hasQueued = useDraft(conversation, ({ queued }) => queued.length > 0);
  const isEditing = useDraft(conversation, ({ setAside }) => setAside !== null);
  const isRunning = phase.name !== 'idle';
  const log = useRef<HTMLDivElement>(null);
  const dock = useRef<HTMLDivElement>(null);
  const { isEndVisible, goToEnd } = useScrollController({ log, dock }, state);

  // Requested with the question, so that it is usually loaded before the reply starts.
  useEffect(() => {
    if (isRunning) loadMarkdown();
  }, [isRunning]);
  useFocusFallback(composerFocusTarget);
  useStopOnEscape(isRunning, conversation.stop);
  useTypingFocus();

  const status = <TurnStatus conversation={conversation} title={title} state={state} actions={actions} />;

  return (
    <main id="main" className="conversation" tabIndex={-1} onPointerEnter={loadMarkdown} onFocus={loadMarkdown}>
      <SkipLink to={messageFieldId}>{t('skipToMessage')}</SkipLink>
      {turns.length === 0 ? children : <h1 className="visually-hidden">{t('title')}</h1>}
      {turns.length > 0 && <PrintHeading title={title} turns={turns} />}
      <div
        ref={log}
        className="messages"
        role="log"
        aria-label={t('title')}
        aria-live="off"
        aria-busy={isRunning}
        data-editing={isEditing || undefined}
      >
        <TurnList
          conversation={conversation}
          state={state}
          onRegenerate={actions.regenerate}
          targetTurnId={targetTurnId}
          renderActions={
            isRunning || isLastTurnRunningElsewhere(state)
              ? null
              : (reply) => <LastTurnActions conversation={conversation} state={state} actions={actions} reply={reply} />
          }
        >
          {status}
        </TurnList>
      </div>
      {turns.length === 0 && isRunning && status}
      <Announcement conversation={conversation} state={state} />
      <div ref={dock} className="dock">
        <div className="dock-box">
          <JumpToLatestButton
            conversation={conversation}
            state={state}
            isEndVisible={isEndVisible}
            isHidden={isEditing}
            onJump={goToEnd}
          />
          {waitsForOtherTab &&
            !hasQueued &&
            (busyNotice || <Notice tone="warning" title={t('busyInOtherTab')} advice={t('busyAdvice')} />)}
          {turns.length > 0 && <MarkdownFailureNotice />}
          {/* In an empty conversation the status is part of the dock, so that the message field does not cover a
              notice such as a limit. */}
          {turns.length === 0 && !isRunning && status}
          {notice}
          <Composer conversation={conversation} actions={actions} waitReason={waitReason} footnote={footnote} />
        </div>
      </div>
    </main>
  );
}

/** Announces retries, the start and the end of a reply to screen readers, but not the growing text, which would drown out the rest. */
function Announcement({ conversation, state }: { conversation: Conversation; state: TurnsState }) {
  const t = useTranslations('announcements');
  const tProblem = useTranslations('problem');
  const retry = useRetryReason();
  const last = state.turns.at(-1);
  const [runningId, setRunningId] = useState(last?.id);
  // Switching to another version is not the end of a reply.
  if (last !== undefined && last.ending === null && last.id !== runningId) setRunningId(last.id);

  const announcement = () => {
    const { phase } = state;
    if (phase.name === 'streaming') return t('started');
    if (phase.name === 'retrying') return t('sentAgain', { reason: retry(phase), seconds: phase.waitSeconds });
    if (phase.name !== 'idle' || last?.id !== runningId) return '';
    if (last?.ending?.type === 'done') return conversation.mayBeTruncated(last) ? tProblem('mayBeCut') : t('finished');
    return last?.ending?.type === 'stopped' ? t('stopped') : '';
  };
  return (
    <p className="visually-hidden" role="status">
      {announcement()}
    </p>
  );
}

/** Shown if the code that renders Markdown could not be loaded, for example after an update of the service. */
function MarkdownFailureNotice() {
  const t = useTranslations('conversation');
  const tProblem = useTranslations('problem');
  const isLost = useSyncExternalStore(subscribeToMarkdown, hasMarkdownFailed);
  if (!isLost) return null;
  return (
    <Notice tone="warning" title={t('notFormatted')} advice={t('notFormattedAdvice')}>
      <Button onClick={() => window.location.reload()}>{tProblem('reload')}</Button>
    </Notice>
  );
}

type JumpToLatestButtonProps = {
  conversation: Conversation;
  state: TurnsState;
  isEndVisible: boolean;
  isHidden: boolean;
  onJump: () => void;
};

/** The button's name says whether a reply has finished or failed, because its end is out of view. `Announcement` announces it. */
function JumpToLatestButton({ conversation, state, isEndVisible, isHidden, onJump }: JumpToLatestButtonProps) {
  const t = useTranslations('reading');
  const { turns, phase } = state;
  const last = turns.at(-1);
  const ending = last?.ending;
  const isRunning = phase.name !== 'idle';
  const [awaitedId, setAwaitedId] = useState<string>();
  const isAwaited = last !== undefined && last.id === awaitedId;
  if (isRunning && last !== undefined && !isAwaited) setAwaitedId(last.id);
  if (!isRunning && isEndVisible && awaitedId !== undefined) setAwaitedId(undefined);
  if (isEndVisible || isHidden) return null;

  const hasProblem = !isRunning && ending != null && isProblem(ending);
  const name = () => {
    if (hasProblem && hasReply(last)) return t('incomplete');
    if (hasProblem) return t(last?.isContinuation ? 'continuationFailed' : 'unanswered');
    if (!isAwaited || ending?.type !== 'done') return t('jump');
    return t(conversation.mayBeTruncated(last) ? 'incomplete' : 'finished');
  };
  return (
    <div className={hasProblem ? 'jump-to-latest jump-to-problem' : 'jump-to-latest'}>
      <Button kind="action" onClick={onJump}>
        <Icon name="end" />
        <span>{name()}</span>
      </Button>
    </div>
  );
}

/** Elements that handle Escape themselves. */
const escapeHandlers = 'input, select, textarea, [contenteditable], dialog, [popover], [role="menu"], [role="listbox"]';

/** Escape closes these first, regardless of the focus. */
const openOverlays = 'dialog[open], :popover-open';

/** Calls `onStop` on Escape while `isRunning`, in the message field or outside of any field, dialog or menu. */
function useStopOnEscape(isRunning: boolean, onStop: () => void): void {
  useWindowEvent('keydown', ({ key, target, defaultPrevented }) => {
    if (!isRunning || key !== 'Escape' || defaultPrevented) return;
    const isHandled =
      target instanceof Element && target.id !== messageFieldId && target.closest(escapeHandlers) !== null;
    if (!isHandled && document.querySelector(openOverlays) === null) onStop();
  });
}

/** Focuses the message field when the user types while no control has the focus, so that the character is inserted there. */
function useTypingFocus(): void {
  useWindowEvent('keydown', ({ key, ctrlKey, metaKey, altKey, defaultPrevented }) => {
    const isCharacter = [...key].length === 1 && key !== ' ' && !ctrlKey && !metaKey && !altKey;
    if (!isCharacter || defaultPrevented) return;
    // A click on text focuses the main element.
    const hasFocusedControl = document.activeElement !== document.body && document.activeElement?.id !== 'main';
    if (hasFocusedControl || document.querySelector(openOverlays) !== null) return;
    document.getElementById(messageFieldId)?.focus({ preventScroll: true });
  });
}

/**
 * Focuses the element that `fallback` returns after a render has removed, hidden or disabled the focused control: otherwise keyboard
 * users would start at the top of the page again. Does nothing if no control had the focus, so that a text selection stays.
 */
function useFocusFallback(fallback: () => HTMLElement | null): void {
  const focused = useRef<Element>(null);
  const remember = () => {
    focused.current = document.activeElement;
  };
  useWindowEvent('focusin', remember);
  useWindowEvent('click', remember, { capture: true });

  useEffect(() => {
    const { current } = focused;
    const { activeElement, body } = document;
    if (current === null || (activeElement !== body && activeElement !== current)) return;
    const isUsable = current.checkVisibility({ visibilityProperty: true }) && !current.matches(':disabled');
    if (!isUsable) fallback()?.focus({ preventScroll: true });
  });
}
