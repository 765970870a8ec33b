import { useEffect, useState, useSyncExternalStore } from 'react';
import { useTranslations } from 'use-intl/react';
import type { Conversation } from '../chat/conversation.ts';
import { Button } from '../controls/button.tsx';
import { Notice } from '../controls/notice.tsx';
import type { Passage } from '../conversations/conversations.ts';
import type { UndoOffer } from '../conversations/undo-offer.ts';
import { firstQuestions } from '../onboarding/kept-questions.ts';
import type { User } from '../session/session.ts';
import { useRunningTurns, useTurn } from '../turns/use-turn.ts';
import { ConversationView } from '../ui/conversation-view.tsx';
import { UndoNotice } from '../ui/undo-notice.tsx';
import { usePassage } from '../ui/use-passage.ts';
import { Welcome } from '../ui/welcome.tsx';
import { type ScrollPlaces, useScrollPlace } from './use-scroll-place.ts';

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
  const say = useTranslations('live');
  const turn = useTurn(id, conversation);
  const suggestions = [say('standing'), say('hypotheses'), say('unknowns'), say('agenda')];
  const [comesBackToId] = useState(() => scrollPlaces.placeToComeBackTo(id)?.turnId);
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
      ledToId={passage?.turnId ?? comesBackToId}
      footnote={say('footnote')}
      busyNotice={
        runningId && (
          <>
            <p>{say('busyElsewhere')}</p>
            <Button onClick={() => onOpen(runningId)}>{say('goThere')}</Button>
          </>
        )
      }
      notice={
        <>
          {state.wasRefused && (
            <Notice tone="calm">
              <p>{say('notSent')}</p>
              <Button onClick={() => turn.send(state.draft)}>{say('sendNow')}</Button>
            </Notice>
          )}
          <UndoNotice offer={offer} isListNear />
        </>
      }
    >
      <Welcome
        heading={user.name ? say('welcomeByName', { name: user.name }) : say('welcome')}
        suggestions={[...firstQuestions(user.id), ...suggestions].slice(0, suggestions.length)}
        onChoose={turn.send}
        disabled={state.blockedUntil !== null}
      >
        <p>
          {say.rich('knows', {
            organization: user.organization.name,
            strong: (organization) => <strong>{organization}</strong>,
          })}
        </p>
      </Welcome>
    </ConversationView>
  );
}
