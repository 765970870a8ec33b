import type { ReactNode } from 'react';
import type { Conversation } from '../chat/conversation.ts';
import { type ConversationState, canShowVersion } from '../chat/conversation-state.ts';
import { TurnView } from './turn-view.tsx';

type TurnListProps = {
  conversation: Conversation;
  state: ConversationState;
  /** What is said about the latest turn. It is a part of that turn, so that the room that is kept for the reply holds it. */
  children: ReactNode;
};

/** The shown turns of a conversation, one element each, which names its turn. */
export function TurnList({ conversation, state, children }: TurnListProps) {
  const { turns, versions } = state;
  return turns.map((turn, index) => {
    const isLast = index === turns.length - 1;
    return (
      // Of the versions in one place one is shown: the way to the others stays where it is, and keeps the focus.
      <div key={turn.parentId ?? 'first'} className="turn" data-turn={turn.id}>
        <TurnView
          conversation={conversation}
          turn={turn}
          versions={versions.get(turn.id)}
          canShowVersion={versions.has(turn.id) && canShowVersion(state)}
          isLast={isLast}
        />
        {isLast && children}
      </div>
    );
  });
}
