import { useEffect, useState, useSyncExternalStore } from 'react';
import { useTranslations } from 'use-intl/react';
import { Link } from 'wouter';
import { pages } from '../../shared/interface.ts';
import type { Conversation } from '../chat/conversation.ts';
import { createUndoOffer } from '../conversations/undo-offer.ts';
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

export function DemoPage() {
  const say = useTranslations('demo');
  const { state } = useDesk(openDemoDesk);
  return (
    <>
      <title>{say('title')}</title>
      {state.conversation ? <DemoConversation id={state.id} conversation={state.conversation} /> : <DemoHeader />}
    </>
  );
}

function DemoHeader({ onNewConversation }: { onNewConversation?: (() => void) | undefined }) {
  const say = useTranslations('demo');
  const { address, isSignedIn } = useOwnEngagement();
  return (
    <Header badge={say('badge')} hasSettings onNewConversation={onNewConversation}>
      <Link className="button button-primary" href={address}>
        {say(isSignedIn ? 'yourEngagement' : 'signIn')}
      </Link>
    </Header>
  );
}

function DemoConversation({ id, conversation }: { id: string; conversation: Conversation }) {
  const state = useSyncExternalStore(conversation.subscribe, conversation.getState);
  const say = useTranslations('demo');
  const turn = useTurn(id, conversation);
  const suggestions = [say('standing'), say('hypotheses'), say('unknowns'), say('questions')];
  const { address } = useOwnEngagement();
  const [offer] = useState(() => createUndoOffer(pageClock));

  useEffect(() => {
    if (!state.canUndoStartOver) return;
    const undo = conversation.undoStartOver;
    // It stands until the next question, also after a reload.
    offer.offer({ what: 'startedOver', title: '', undo }, Number.POSITIVE_INFINITY);
    return offer.withdraw;
  }, [state.canUndoStartOver, conversation, offer]);

  return (
    <>
      <DemoHeader onNewConversation={state.turns.length > 0 ? conversation.startOver : undefined} />
      <ConversationView
        conversation={conversation}
        state={state}
        turn={turn}
        notice={<UndoNotice offer={offer} />}
        footnote={say('footnote')}
      >
        <Welcome
          heading={say('heading')}
          suggestions={suggestions}
          onChoose={turn.send}
          disabled={state.blockedUntil !== null}
        >
          <p>{say.rich('fictional', { strong: (words) => <strong>{words}</strong> })}</p>
          <p>
            <Link href={address}>{say('ownEngagement')}</Link>
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
