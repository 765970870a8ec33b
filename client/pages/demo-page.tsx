import { Link } from 'wouter';
import { pages, routes } from '../../shared/interface.ts';
import { deviceKeys } from '../device-storage.ts';
import { signInAddress } from '../session/return-to.ts';
import { useSession } from '../session/session.ts';
import { ConversationView } from '../ui/conversation-view.tsx';
import { Header } from '../ui/header.tsx';
import { Welcome } from '../ui/welcome.tsx';
import { useConversation } from './use-conversation.ts';

const suggestions = [
  'Where does this engagement stand, and what should happen next?',
  'Which hypothesis is the strongest so far, and what would refute it?',
  'What are the biggest unknowns, and how could we settle them this week?',
  'Which questions should I put to the plant manager tomorrow?',
];

export function DemoPage() {
  const { conversation, state, turn } = useConversation(routes.demoChat, deviceKeys.demoTranscript);
  const { data: session } = useSession();
  const ownEngagement = session?.user ? pages.chat : signInAddress(pages.chat);

  return (
    <>
      <title>Demo · Advisory Chat</title>
      <Header badge="Demo" hasSettings onNewConversation={state.turns.length > 0 ? conversation.startOver : undefined}>
        <Link className="button button-primary" href={ownEngagement}>
          {session?.user ? 'Your engagement' : 'Sign in'}
        </Link>
      </Header>
      <ConversationView
        conversation={conversation}
        state={state}
        turn={turn}
        footnote="The engagement is fictional. Nothing is stored on the server."
      >
        <Welcome
          heading="Try an advisory conversation"
          suggestions={suggestions}
          onChoose={turn.send}
          disabled={state.blockedUntil !== null}
        >
          <p>
            You are talking about a <strong>fictional manufacturing company</strong>. Its people, figures, hypotheses,
            unknowns and findings are made up, and nothing here is about your organization.
          </p>
          <p>
            <Link href={ownEngagement}>Work on your own engagement</Link>
          </p>
        </Welcome>
      </ConversationView>
    </>
  );
}
