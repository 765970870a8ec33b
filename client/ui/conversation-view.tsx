import { type ReactNode, useRef } from 'react';
import { useTranslations } from 'use-intl/react';
import type { Conversation } from '../chat/conversation.ts';
import type { ConversationState } from '../chat/conversation-state.ts';
import { Notice } from '../controls/notice.tsx';
import { SkipLink } from '../controls/skip-link.tsx';
import { PrintHeading } from '../documents/print-heading.tsx';
import { loadMarkdown } from '../markdown/load-markdown.ts';
import { useReading } from '../reading/use-reading.ts';
import type { AskTurn } from '../turns/use-turn.ts';
import { Announcement } from './announcement.tsx';
import { Composer, messageFieldId } from './composer.tsx';
import { JumpToLatest } from './jump-to-latest.tsx';
import { TurnList } from './turn-list.tsx';
import { TurnStatus } from './turn-status.tsx';
import { useStopOnEscape } from './use-stop-on-escape.ts';

type ConversationViewProps = {
  conversation: Conversation;
  state: ConversationState;
  turn: AskTurn;
  footnote: string;
  /** What is to be known before the next message. */
  notice?: ReactNode;
  /** What to say where another turn is running, if it is known which. */
  busyNotice?: ReactNode;
  /** The turn to which somebody is about to be led, if any: it is on the page from the start. */
  ledToId?: string | undefined;
  /** Shown while nothing has been said. */
  children: ReactNode;
};

export function ConversationView({
  conversation,
  state,
  turn,
  footnote,
  notice,
  busyNotice,
  ledToId,
  children,
}: ConversationViewProps) {
  const say = useTranslations('conversation');
  const { turns, phase, setback, isBusyElsewhere } = state;
  const isRunning = phase.name !== 'idle';
  const log = useRef<HTMLDivElement>(null);
  const dock = useRef<HTMLDivElement>(null);
  const { below, goToEnd } = useReading({ log, dock }, state);

  useStopOnEscape(isRunning, messageFieldId, conversation.stop);

  const status = <TurnStatus conversation={conversation} state={state} turn={turn} />;

  return (
    // Whoever points here or goes here may ask: what shows the reply is here before the reply is.
    <main id="main" className="conversation" tabIndex={-1} onPointerEnter={loadMarkdown} onFocus={loadMarkdown}>
      <SkipLink to={messageFieldId}>{say('skipToMessage')}</SkipLink>
      {turns.length === 0 ? children : <h1 className="visually-hidden">{say('title')}</h1>}
      {turns.length > 0 && <PrintHeading turns={turns} />}
      <div ref={log} className="messages" role="log" aria-label={say('title')} aria-live="off" aria-busy={isRunning}>
        <TurnList conversation={conversation} state={state} ledToId={ledToId}>
          {status}
        </TurnList>
      </div>
      {turns.length === 0 && status}
      <Announcement state={state} />
      <div ref={dock} className="dock">
        <JumpToLatest below={below} ending={setback ?? turns.at(-1)?.ending} onJump={goToEnd} />
        {isBusyElsewhere && <Notice tone="warning">{busyNotice || <p>{say('busyInOtherTab')}</p>}</Notice>}
        {notice}
        <Composer conversation={conversation} state={state} turn={turn} footnote={footnote} />
      </div>
    </main>
  );
}
