import { useEffect, useSyncExternalStore } from 'react';
import type { Conversation } from '../chat/conversation.ts';
import type { Desk } from '../chat/desk.ts';
import { firstQuestions } from '../onboarding/kept-questions.ts';
import type { User } from '../session/session.ts';
import { useRunningTurns, useTurn } from '../turns/use-turn.ts';
import { Button } from '../ui/button.tsx';
import { ConversationView } from '../ui/conversation-view.tsx';
import { Notice } from '../ui/notice.tsx';
import { Welcome } from '../ui/welcome.tsx';

const suggestions = [
  'Where do we stand, and what should we do this week?',
  'Which of our hypotheses should we test first, and how?',
  'What do we not know yet that could change the picture?',
  'What should be on the agenda of our next working session?',
];

type LiveConversationProps = { user: User; id: string; desk: Desk; conversation: Conversation };

export function LiveConversation({ user, id, desk, conversation }: LiveConversationProps) {
  const state = useSyncExternalStore(conversation.subscribe, conversation.getState);
  const turn = useTurn(id, conversation);
  const runningId = useRunningTurns().find((running) => running !== id);

  useEffect(() => {
    if (runningId === undefined) conversation.settle();
  }, [runningId, conversation]);

  return (
    <ConversationView
      conversation={conversation}
      state={state}
      turn={turn}
      footnote="Replies can be wrong. Kept on this device until you sign out."
      busyNotice={
        runningId && (
          <>
            <p>A reply is running in another conversation. Wait for it or stop it there.</p>
            <Button onClick={() => desk.open(runningId)}>Go there</Button>
          </>
        )
      }
      notice={
        state.wasRefused && (
          <Notice tone="calm">
            <p>Your message was not sent. It is ready below.</p>
            <Button onClick={() => turn.send(state.draft)}>Send it now</Button>
          </Notice>
        )
      }
    >
      <Welcome
        heading={user.name ? `Welcome, ${user.name}` : 'Welcome'}
        suggestions={[...firstQuestions(user.id), ...suggestions].slice(0, suggestions.length)}
        onChoose={turn.send}
        disabled={state.blockedUntil !== null}
      >
        <p>
          This conversation knows the engagement of <strong>{user.organization.name}</strong>: its week, hypotheses,
          unknowns and findings.
        </p>
      </Welcome>
    </ConversationView>
  );
}
