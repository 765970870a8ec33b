import type { ReactNode } from 'react';
import type { Turn } from '../chat/turn.ts';
import { TurnView } from './turn-view.tsx';

type TurnListProps = {
  turns: readonly Turn[];
  /** What is said about the latest turn. It is a part of that turn, so that the room that is kept for the reply holds it. */
  children: ReactNode;
};

/** The turns of a conversation, one element each. */
export function TurnList({ turns, children }: TurnListProps) {
  return turns.map((turn, index) => {
    const isLast = index === turns.length - 1;
    return (
      <div key={turn.parentId ?? 'first'} className="turn" data-turn={turn.id}>
        <TurnView turn={turn} isLast={isLast} />
        {isLast && children}
      </div>
    );
  });
}
