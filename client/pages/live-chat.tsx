import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { pages, routes } from '../../shared/interface.ts';
import { deviceKeys } from '../device-storage.ts';
import { signInAddress } from '../session/return-to.ts';
import { sessionQuery, type User } from '../session/session.ts';
import { Account } from '../ui/account.tsx';
import { ConversationView } from '../ui/conversation-view.tsx';
import { Header } from '../ui/header.tsx';
import { Notice } from '../ui/notice.tsx';
import { Welcome } from '../ui/welcome.tsx';
import { useConversation } from './use-conversation.ts';

const suggestions = [
  'Where do we stand, and what should we do this week?',
  'Which of our hypotheses should we test first, and how?',
  'What do we not know yet that could change the picture?',
  'What should be on the agenda of our next working session?',
];

export function LiveChat({ user }: { user: User }) {
  const { conversation, state } = useConversation(routes.liveChat, deviceKeys.liveTranscript(user.id));
  const queryClient = useQueryClient();
  const { refusal } = state;

  useEffect(() => {
    // The session knows by now as well, and the page then goes on to onboarding.
    if (refusal === 'NOT_ONBOARDED') queryClient.invalidateQueries(sessionQuery);
  }, [refusal, queryClient]);

  return (
    <>
      <Header onNewConversation={state.turns.length > 0 ? conversation.startOver : undefined}>
        <Account user={user} onSignedOut={conversation.clear} />
      </Header>
      <ConversationView
        conversation={conversation}
        state={state}
        footnote="Replies can be wrong. Kept on this device until you sign out."
        notice={
          refusal === 'UNAUTHENTICATED' && (
            <Notice tone="error">
              <p>You are no longer signed in. Your message is kept below.</p>
              {/* Leaves the page, so that the session is read anew. */}
              <a className="button" href={signInAddress(pages.chat)}>
                Sign in again
              </a>
            </Notice>
          )
        }
      >
        <Welcome
          heading={user.name ? `Welcome, ${user.name}` : 'Welcome'}
          suggestions={suggestions}
          onChoose={conversation.send}
          disabled={state.blockedUntil !== null}
        >
          <p>
            This conversation knows the engagement of <strong>{user.organization.name}</strong>: its week, hypotheses,
            unknowns and findings.
          </p>
        </Welcome>
      </ConversationView>
    </>
  );
}
