import { useEffect, useState, useSyncExternalStore } from 'react';
import { Link } from 'wouter';
import { pages } from '../../shared/interface.ts';
import type { Conversation } from '../chat/conversation.ts';
import { createUndoOffer } from '../chat/undo-offer.ts';
import { signInAddress } from '../session/return-to.ts';
import { useSession } from '../session/session.ts';
import { useTurn } from '../turns/use-turn.ts';
import { ConversationView } from '../ui/conversation-view.tsx';
import { Header } from '../ui/header.tsx';
import { UndoNotice } from '../ui/undo-notice.tsx';
import { Welcome } from '../ui/welcome.tsx';
import { openDemoDesk } from './open-desk.ts';
import { pageClock } from './page-clock.ts';
import { useDesk } from './use-desk.ts';

const suggestions = [
  'Where does this engagement stand, and what should happen next?',
  'Which hypothesis is the strongest so far, and what would refute it?',
  'What are the biggest unknowns, and how could we settle them this week?',
  'Which questions should I put to the plant manager tomorrow?',
];

export function DemoPage() {
  const { state } = useDesk(openDemoDesk);
  return (
    <>
      <title>Demo · Advisory Chat</title>
      {state.conversation ? <DemoConversation id={state.id} conversation={state.conversation} /> : <DemoHeader />}
    </>
  );
}

function DemoHeader({ onNewConversation }: { onNewConversation?: (() => void) | undefined }) {
  const { address, isSignedIn } = useOwnEngagement();
  return (
    <Header badge="Demo" hasSettings onNewConversation={onNewConversation}>
      <Link className="button button-primary" href={address}>
        {isSignedIn ? 'Your engagement' : 'Sign in'}
      </Link>
    </Header>
  );
}

function DemoConversation({ id, conversation }: { id: string; conversation: Conversation }) {
  const state = useSyncExternalStore(conversation.subscribe, conversation.getState);
  const turn = useTurn(id, conversation);
  const { address } = useOwnEngagement();
  const [offer] = useState(() => createUndoOffer(pageClock));

  useEffect(() => {
    if (!state.canUndoStartOver) offer.withdraw();
  }, [state.canUndoStartOver, offer]);

  const startOver = () => {
    conversation.startOver();
    offer.offer({ what: 'startedOver', title: '', undo: conversation.undoStartOver });
  };
  return (
    <>
      <DemoHeader onNewConversation={state.turns.length > 0 ? startOver : undefined} />
      <ConversationView
        conversation={conversation}
        state={state}
        turn={turn}
        notice={<UndoNotice offer={offer} />}
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
            <Link href={address}>Work on your own engagement</Link>
          </p>
        </Welcome>
      </ConversationView>
    </>
  );
}

function useOwnEngagement() {
  const { data: session } = useSession();
  const isSignedIn = Boolean(session?.user);
  return { isSignedIn, address: isSignedIn ? pages.chat : signInAddress(pages.chat) };
}
