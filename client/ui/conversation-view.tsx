import { type ReactNode, useEffect, useRef } from 'react';
import type { Conversation } from '../chat/conversation.ts';
import { type ConversationState, canShowVersion } from '../chat/conversation-state.ts';
import { loadMarkdown } from '../markdown/load-markdown.ts';
import type { AskTurn } from '../turns/use-turn.ts';
import { Announcement } from './announcement.tsx';
import { Button } from './button.tsx';
import { Composer, messageFieldId } from './composer.tsx';
import { Notice } from './notice.tsx';
import { SkipLink } from './skip-link.tsx';
import { TurnStatus } from './turn-status.tsx';
import { TurnView } from './turn-view.tsx';
import { useDockHeight } from './use-dock-height.ts';
import { useFocusInView } from './use-focus-in-view.ts';
import { useFollowEnd } from './use-follow-end.ts';
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
  children,
}: ConversationViewProps) {
  const { turns, versions, phase, draft, isBusyElsewhere } = state;
  const isRunning = phase.name !== 'idle';
  const isBegun = turns.length > 0 || draft !== '';
  const main = useRef<HTMLElement>(null);
  const dock = useRef<HTMLDivElement>(null);
  useDockHeight(dock);
  const { isAtEnd, goToEnd } = useFollowEnd(turns.length);
  // Comes last and so has the last word: who has the focus on something above the end is not at the end.
  useFocusInView(main);

  useEffect(() => {
    if (isBegun) loadMarkdown();
  }, [isBegun]);

  useStopOnEscape(isRunning, messageFieldId, conversation.stop);

  return (
    <main ref={main} id="main" className="conversation" tabIndex={-1}>
      <SkipLink to={messageFieldId}>Skip to the message field</SkipLink>
      {turns.length === 0 ? children : <h1 className="visually-hidden">Conversation</h1>}
      <div className="messages" role="log" aria-label="Conversation" aria-live="off" aria-busy={isRunning}>
        {turns.map((shown, index) => (
          // Of the versions in one place one is shown: the way to the others stays where it is, and keeps the focus.
          <TurnView
            key={shown.parentId ?? 'first'}
            conversation={conversation}
            turn={shown}
            versions={versions.get(shown.id)}
            canShowVersion={versions.has(shown.id) && canShowVersion(state)}
            isLast={index === turns.length - 1}
          />
        ))}
      </div>
      <TurnStatus conversation={conversation} state={state} turn={turn} />
      <Announcement state={state} />
      <div ref={dock} className="dock">
        {turns.length > 0 && !isAtEnd && (
          <div className="jump-to-latest">
            <Button onClick={goToEnd}>Jump to latest</Button>
          </div>
        )}
        {isBusyElsewhere && (
          <Notice tone="warning">
            {busyNotice || <p>A reply is running in another tab. Wait for it or stop it there.</p>}
          </Notice>
        )}
        {notice}
        <Composer conversation={conversation} state={state} turn={turn} footnote={footnote} />
      </div>
    </main>
  );
}
