import { lazy, type ReactNode, Suspense, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { useTranslations } from 'use-intl/react';
import type { Conversation } from '../chat/conversation-interface.ts';
import { canSend, type TurnsState } from '../chat/conversation-state.ts';
import { isProblem, problemOf, problems, type Remedy } from '../chat/problem.ts';
import { hasReply, type Turn } from '../chat/turn.ts';
import { isCommandKey } from '../commands/command-key.ts';
import { useOfferedCommands } from '../commands/in-commands.tsx';
import { Button } from '../controls/button.tsx';
import { Icon } from '../controls/icon.tsx';
import { NotLoaded } from '../controls/not-loaded.tsx';
import { Notice } from '../controls/notice.tsx';
import { SkipLink } from '../controls/skip-link.tsx';
import { useFocusFallback } from '../controls/use-focus-fallback.ts';
import { useWindowEvent } from '../controls/use-window-event.ts';
import type { Passage } from '../conversations/search-conversations.ts';
import { titleOf } from '../device/conversation-records.ts';
import { PrintHeading } from '../documents/print-heading.tsx';
import { isMarkdownLost, loadMarkdown, whenMarkdownIsLoaded } from '../markdown/load-markdown.ts';
import type { Below } from '../reading/reading.ts';
import { useReading } from '../reading/use-reading.ts';
import { useSettings } from '../settings/settings-provider.tsx';
import { type AskTurn, useDraft } from '../turns/use-turn.ts';
import { Composer, focusOfComposer, messageFieldId } from './composer.tsx';
import { TurnList } from './turn-list.tsx';
import { TurnStatus, useRetryReason } from './turn-status.tsx';

// Few people search within a conversation: it is loaded when they do.
const FindBar = lazy(() =>
  import('./find-bar.tsx').then(
    ({ FindBar }) => ({ default: FindBar }),
    () => ({ default: NotLoaded }),
  ),
);

type ConversationViewProps = {
  conversation: Conversation;
  state: TurnsState;
  turn: AskTurn;
  footnote: string;
  /** Whether the footnote stays once there are turns. */
  isFootnoteLasting?: boolean;
  /** Notices above the message field. */
  notice?: ReactNode;
  /** Replaces the notice that another turn is running, if the page knows which. */
  busyNotice?: ReactNode;
  /** The turn that the page is about to scroll to, if any: it is on the page from the start. */
  ledToId?: string | undefined;
  /** The search result that was opened. */
  passage?: Passage | null;
  /** Shown while there are no turns. */
  children: ReactNode;
};

export function ConversationView({
  conversation,
  state,
  turn,
  footnote,
  isFootnoteLasting = false,
  notice,
  busyNotice,
  ledToId,
  passage = null,
  children,
}: ConversationViewProps) {
  const t = useTranslations('conversation');
  const { turns, phase, isBusyElsewhere } = state;
  const isInLine = useDraft(conversation, ({ queued }) => queued.length > 0);
  const { settings } = useSettings();
  const isRunning = phase.name !== 'idle';
  const log = useRef<HTMLDivElement>(null);
  const dock = useRef<HTMLDivElement>(null);
  const { below, goToEnd } = useReading({ log, dock }, state, settings.follow);

  const { sought, endFind } = useFind(passage, turns);

  // Loaded when the person may be about to ask, so that it is there before the reply.
  useEffect(() => {
    if (isRunning) loadMarkdown();
  }, [isRunning]);
  usePassageFocus(passage);
  useFocusFallback(focusOfComposer);
  useStopOnEscape(isRunning, conversation.stop);

  const status = <TurnStatus conversation={conversation} state={state} turn={turn} />;

  return (
    <main id="main" className="conversation" tabIndex={-1} onPointerEnter={loadMarkdown} onFocus={loadMarkdown}>
      <SkipLink to={messageFieldId}>{t('skipToMessage')}</SkipLink>
      {turns.length === 0 ? children : <h1 className="visually-hidden">{t('title')}</h1>}
      {turns.length > 0 && <PrintHeading turns={turns} />}
      {sought && (
        <Suspense>
          <FindBar key={sought.key} log={log} words={sought.words} turnId={sought.turnId} onClose={endFind} />
        </Suspense>
      )}
      <div ref={log} className="messages" role="log" aria-label={t('title')} aria-live="off" aria-busy={isRunning}>
        <TurnList conversation={conversation} state={state} onRegenerate={turn.regenerate} ledToId={ledToId}>
          {status}
        </TurnList>
      </div>
      {turns.length === 0 && status}
      <Announcement state={state} />
      <div ref={dock} className="dock">
        <div className="dock-box">
          <JumpToLatest below={below} state={state} onJump={goToEnd} onTryAgain={turn.tryAgain} />
          {isBusyElsewhere && (
            <Notice tone="warning">{busyNotice || <p>{t(isInLine ? 'waitsForOtherTab' : 'busyInOtherTab')}</p>}</Notice>
          )}
          {turns.length > 0 && <LostMarkdownNotice />}
          {notice}
          <Composer
            conversation={conversation}
            turn={turn}
            footnote={turns.length === 0 || isFootnoteLasting ? footnote : undefined}
          />
        </div>
      </div>
    </main>
  );
}

/** Tells screen readers where a reply begins and ends; its words in between would drown everything else. */
function Announcement({ state }: { state: TurnsState }) {
  const t = useTranslations('announcements');
  const retry = useRetryReason();
  const last = state.turns.at(-1);
  const [watchedId, setWatchedId] = useState(last?.id);
  // Another version that is shown has not just ended.
  if (last !== undefined && last.ending === null && last.id !== watchedId) setWatchedId(last.id);

  const announcement = () => {
    const { phase } = state;
    if (phase.name === 'streaming') return t('started');
    if (phase.name === 'retrying') return t('sentAgain', { reason: retry(phase), seconds: phase.waitSeconds });
    if (phase.name !== 'idle' || last?.id !== watchedId) return '';
    if (last?.ending?.type === 'done') return t('finished');
    return last?.ending?.type === 'stopped' ? t('stopped') : '';
  };
  return (
    <p className="visually-hidden" role="status">
      {announcement()}
    </p>
  );
}

/** Says that what formats replies could not be loaded, after an update of the service for example. */
function LostMarkdownNotice() {
  const t = useTranslations('conversation');
  const tProblem = useTranslations('problem');
  const isLost = useSyncExternalStore(whenMarkdownIsLoaded, isMarkdownLost);
  if (!isLost) return null;
  return (
    <Notice tone="warning">
      <p>{t('notFormatted')}</p>
      <Button onClick={() => window.location.reload()}>{tProblem('reload')}</Button>
    </Notice>
  );
}

type JumpToLatestProps = { below: Below; state: TurnsState; onJump: () => void; onTryAgain: () => void };

/**
 * Leads to the end of the conversation, and says what came of the reply and how much of it is new: both are out of view. Its
 * words are no announcement: the number changes often, and how a reply ended is announced itself. On a narrow screen it is an arrow.
 */
function JumpToLatest({ below, state, onJump, onTryAgain }: JumpToLatestProps) {
  const t = useTranslations('reading');
  const { isEndShown, newLines: lines } = below;
  const { turns, phase } = state;
  const last = turns.at(-1);
  const ending = last?.ending;
  const isRunning = phase.name !== 'idle';
  const [awaitedId, setAwaitedId] = useState<string>();
  const isAwaited = last !== undefined && last.id === awaitedId;
  if (isRunning && last !== undefined && !isAwaited) setAwaitedId(last.id);
  if (!isRunning && isEndShown && awaitedId !== undefined) setAwaitedId(undefined);
  if (isEndShown) return null;

  if (!isRunning && ending && isProblem(ending)) {
    const remedies: readonly Remedy[] = problems[problemOf(ending, hasReply(last))];
    const canTryAgain = remedies.includes('tryAgain') && canSend(state);
    return (
      <div className="jump-to-latest jump-to-problem">
        {canTryAgain && (
          <span className="jump-wide">
            <Button onClick={onTryAgain}>{t('tryAgain', { lines })}</Button>
          </span>
        )}
        <span className={canTryAgain ? 'jump-narrow' : undefined}>
          <Jump words={t('seeWhy', { lines })} onJump={onJump} />
        </span>
      </div>
    );
  }
  const words = () => {
    if (isAwaited && ending?.type === 'done') return t('finished', { lines });
    return lines === 0 ? t('jump') : t('jumpToNew', { lines });
  };
  return (
    <div className="jump-to-latest">
      <Jump words={words()} onJump={onJump} />
    </div>
  );
}

function Jump({ words, onJump }: { words: string; onJump: () => void }) {
  return (
    <Button onClick={onJump}>
      <Icon name="end" />
      <span className="jump-words">{words}</span>
    </Button>
  );
}

/** What takes Escape for itself while the focus is in it. */
const ownUses = 'input, select, textarea, [contenteditable], dialog, [popover], [role="menu"], [role="listbox"]';

/** What Escape closes first, wherever the focus is. */
const openAbove = 'dialog[open], :popover-open';

/**
 * Calls `onStop` when Escape is pressed while `isRunning`: in the message field or on the page itself. In any other field, and
 * in a dialog or a menu, Escape does only what it does there.
 */
function useStopOnEscape(isRunning: boolean, onStop: () => void): void {
  useWindowEvent('keydown', ({ key, target, isComposing, defaultPrevented }) => {
    if (!isRunning || key !== 'Escape' || isComposing || defaultPrevented) return;
    const isTaken = target instanceof Element && target.id !== messageFieldId && target.closest(ownUses) !== null;
    if (!isTaken && document.querySelector(openAbove) === null) onStop();
  });
}

/** Whether a key is pressed on the page itself, where nothing else takes it. */
function isOnPage({ target, isComposing }: KeyboardEvent): boolean {
  if (isComposing) return false;
  const isTaken = target instanceof Element && target.closest(ownUses) !== null;
  return !isTaken && document.querySelector(openAbove) === null;
}

/** From so many turns on, some of a conversation may not be on the page yet, and the browser's own search misses them. */
const longTurns = 20;

/** What is looked for: from which turn on, or null where the person is asked. Another `key` is another search. */
type Sought = { key: number; words: string; turnId: string | null };

/** Finds words in the conversation: by command, by Ctrl+F where it is long, and when a search has led to a passage in it. */
function useFind(passage: Passage | null, turns: readonly Turn[]) {
  const turnCount = turns.length;
  const [sought, setSought] = useState<Sought | null>(null);
  const [known, setKnown] = useState<Passage | null>(null);
  const from = useRef<Element>(null);
  const key = (sought?.key ?? 0) + 1;
  if (passage !== known) {
    setKnown(passage);
    const isShown = passage !== null && !isInTitle(passage, turns);
    setSought(isShown ? { key, words: passage.match, turnId: passage.turnId } : null);
  }

  const find = () => {
    from.current = document.activeElement;
    setSought({ key, words: document.getSelection()?.toString().trim() || (sought?.words ?? ''), turnId: null });
  };
  const endFind = () => {
    setSought(null);
    if (from.current instanceof HTMLElement) from.current.focus({ preventScroll: true });
  };
  useOfferedCommands(turnCount > 0 ? { find } : {});

  useWindowEvent('keydown', (event) => {
    if (sought !== null && event.key === 'Escape' && !event.defaultPrevented && isOnPage(event)) {
      // Escape must not also stop the running reply.
      event.preventDefault();
      return endFind();
    }
    if ((turnCount < longTurns && sought === null) || !isCommandKey(event, { letter: 'f' })) return;
    // Pressed once more, it is the browser's.
    if (document.querySelector('dialog[open]') !== null || document.activeElement?.closest('.find-bar')) return;
    event.preventDefault();
    find();
  });

  return { sought, endFind };
}

/** Whether the passage is the first question, which is the title: the conversation was found by its title, and it begins there. */
function isInTitle({ turnId, match }: Passage, turns: readonly Turn[]): boolean {
  const first = turns[0];
  return first?.id === turnId && titleOf(first.question).includes(match);
}

/** Goes to the turn to which a search has led, which gets the focus; the bar marks its words. */
function usePassageFocus(passage: Passage | null): void {
  useEffect(() => {
    if (passage === null) return;
    const turn = document.querySelector<HTMLElement>(`[data-turn="${CSS.escape(passage.turnId)}"]`);
    if (turn === null) return;
    turn.tabIndex = -1;
    turn.focus({ preventScroll: true });
    turn.scrollIntoView({ block: 'start', behavior: 'instant' });
  }, [passage]);
}
