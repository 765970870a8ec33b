import { useEffect, useState, useSyncExternalStore } from 'react';
import type { Conversation } from '../chat/conversation.ts';
import type { Passage } from '../chat/conversations.ts';
import type { UndoOffer } from '../chat/undo-offer.ts';
import { firstQuestions } from '../onboarding/kept-questions.ts';
import type { User } from '../session/session.ts';
import { useRunningTurns, useTurn } from '../turns/use-turn.ts';
import { Button } from '../ui/button.tsx';
import { ConversationView } from '../ui/conversation-view.tsx';
import { Notice } from '../ui/notice.tsx';
import { UndoNotice } from '../ui/undo-notice.tsx';
import { usePassage } from '../ui/use-passage.ts';
import { Welcome } from '../ui/welcome.tsx';
import { type ScrollPlaces, useScrollPlace } from './use-scroll-place.ts';

const suggestions = [
  'Where do we stand, and what should we do this week?',
  'Which of our hypotheses should we test first, and how?',
  'What do we not know yet that could change the picture?',
  'What should be on the agenda of our next working session?',
];

type LiveConversationProps = {
  user: User;
  id: string;
  conversation: Conversation;
  /** What a search has led to. */
  passage: Passage | null;
  scrollPlaces: ScrollPlaces;
  offer: UndoOffer;
  onOpen: (id: string) => void;
};

export function LiveConversation(props: LiveConversationProps) {
  const { user, id, conversation, passage, scrollPlaces, offer, onOpen } = props;
  const state = useSyncExternalStore(conversation.subscribe, conversation.getState);
  const turn = useTurn(id, conversation);
  const [comesBack] = useState(() => scrollPlaces.comesBack.current);
  useScrollPlace(scrollPlaces, id);
  usePassage(passage);
  const runningId = useRunningTurns().find((running) => running !== id);

  useEffect(() => {
    if (runningId === undefined) conversation.settle();
  }, [runningId, conversation]);

  return (
    <ConversationView
      conversation={conversation}
      state={state}
      turn={turn}
      isWhole={comesBack || passage !== null}
      footnote="Replies can be wrong. Kept on this device until you sign out."
      busyNotice={
        runningId && (
          <>
            <p>A reply is running in another conversation. Wait for it or stop it there.</p>
            <Button onClick={() => onOpen(runningId)}>Go there</Button>
          </>
        )
      }
      notice={
        <>
          {state.wasRefused && (
            <Notice tone="calm">
              <p>Your message was not sent. It is ready below.</p>
              <Button onClick={() => turn.send(state.draft)}>Send it now</Button>
            </Notice>
          )}
          <UndoNotice offer={offer} isListNear />
        </>
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
