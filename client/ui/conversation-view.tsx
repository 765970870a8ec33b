import { type ReactNode, useEffect } from 'react';
import type { Conversation } from '../chat/conversation.ts';
import { type ConversationState, canSend } from '../chat/conversation-state.ts';
import { Announcement } from './announcement.tsx';
import { Button } from './button.tsx';
import { Composer } from './composer.tsx';
import { Notice } from './notice.tsx';
import { TurnStatus } from './turn-status.tsx';
import { TurnView } from './turn-view.tsx';
import { useFollowEnd } from './use-follow-end.ts';

type ConversationViewProps = {
  conversation: Conversation;
  state: ConversationState;
  footnote: string;
  notice?: ReactNode;
  /** Shown while nothing has been said. */
  children: ReactNode;
};

export function ConversationView({ conversation, state, footnote, notice, children }: ConversationViewProps) {
  const { turns, phase, draft, blockedUntil, kept } = state;
  const isRunning = phase.name !== 'idle';
  const { isAtEnd, goToEnd } = useFollowEnd(turns.length);

  useEffect(() => {
    if (!isRunning) return;
    const stopOnEscape = (event: KeyboardEvent) => {
      if (event.key === 'Escape' && !event.isComposing) conversation.stop();
    };
    window.addEventListener('keydown', stopOnEscape);
    return () => window.removeEventListener('keydown', stopOnEscape);
  }, [isRunning, conversation]);

  return (
    <main className="conversation">
      {turns.length === 0 && children}
      <div className="messages" role="log" aria-label="Conversation" aria-live="off" aria-busy={isRunning}>
        {turns.map((turn, index) => (
          <TurnView key={turn.requestId} turn={turn} isLast={index === turns.length - 1} />
        ))}
      </div>
      <TurnStatus conversation={conversation} state={state} />
      {notice}
      {!kept && (
        <Notice tone="calm">This device has no room for the whole conversation: a reload loses its beginning.</Notice>
      )}
      <Announcement state={state} />
      <div className="dock">
        {turns.length > 0 && !isAtEnd && <Button onClick={goToEnd}>Jump to the latest</Button>}
        <Composer
          draft={draft}
          onDraft={conversation.setDraft}
          onSend={conversation.send}
          canSend={canSend(state)}
          onStop={isRunning ? conversation.stop : undefined}
          blockedUntil={blockedUntil}
          footnote={footnote}
        />
      </div>
    </main>
  );
}
