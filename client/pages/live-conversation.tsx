import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';
import { pages } from '../../shared/interface.ts';
import type { Conversation } from '../chat/conversation.ts';
import type { Desk } from '../chat/desk.ts';
import { firstQuestions } from '../onboarding/kept-questions.ts';
import { signInAddress } from '../session/return-to.ts';
import { sessionQuery, type User } from '../session/session.ts';
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

type LiveConversationProps = { user: User; desk: Desk; conversation: Conversation };

export function LiveConversation({ user, desk, conversation }: LiveConversationProps) {
  const state = useSyncExternalStore(conversation.subscribe, conversation.getState);
  const queryClient = useQueryClient();
  const { refusal, wasRefused, draft } = state;
  const runningId = desk.runningElsewhere();

  useEffect(() => {
    // The session knows by now as well, and the page then goes on to onboarding.
    if (refusal === 'NOT_ONBOARDED') queryClient.invalidateQueries(sessionQuery);
  }, [refusal, queryClient]);

  return (
    <ConversationView
      conversation={conversation}
      state={state}
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
        refusal === 'UNAUTHENTICATED' ? (
          <Notice tone="error">
            <p>You are no longer signed in. Your message is kept below.</p>
            {/* Leaves the page, so that the session is read anew. */}
            <a className="button" href={signInAddress(pages.chat)}>
              Sign in again
            </a>
          </Notice>
        ) : (
          wasRefused && (
            <Notice tone="calm">
              <p>Your message was not sent. It is ready below.</p>
              <Button onClick={() => conversation.send(draft)}>Send it now</Button>
            </Notice>
          )
        )
      }
    >
      <Welcome
        heading={user.name ? `Welcome, ${user.name}` : 'Welcome'}
        suggestions={[...firstQuestions(user.id), ...suggestions].slice(0, suggestions.length)}
        onChoose={conversation.send}
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
