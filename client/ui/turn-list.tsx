import { type ReactNode, useEffect, useState } from 'react';
import { flushSync } from 'react-dom';
import type { Conversation } from '../chat/conversation-interface.ts';
import { canShowVersion, type TurnsState } from '../chat/conversation-state.ts';
import { useWindowEvent } from '../controls/use-window-event.ts';
import { createDrawing } from '../reading/drawing.ts';
import { useTurnsOnPage } from '../reading/use-turns-on-page.ts';
import { type AskTurn, useDraft } from '../turns/use-turn.ts';
import { TurnFrame } from './turn-view.tsx';

type TurnListProps = {
  conversation: Conversation;
  state: TurnsState;
  onRegenerate: AskTurn['regenerate'];
  /** The turn that the page is about to scroll to, if any: it is on the page from the start. */
  targetTurnId: string | undefined;
  /** The status of the latest turn. It is rendered within that turn, in the room that is reserved for the reply. */
  children: ReactNode;
};

/** How many of the latest turns, and of those to scroll to, are rendered at once: they fill the window. */
const nearTurns = 3;

/** The turns of a conversation, one element each. A long conversation is opened at its end, and the rest is drawn later. */
export function TurnList({ conversation, state, onRegenerate, targetTurnId, children }: TurnListProps) {
  const { turns, versions } = state;
  const editedId = useDraft(conversation, ({ setAside, editedId }) => (setAside === null ? null : editedId));
  const [drawing] = useState(createDrawing);
  const targetIndex = targetTurnId === undefined ? -1 : turns.findIndex(({ id }) => id === targetTurnId);
  const nearLed = targetIndex === -1 ? [] : turns.slice(Math.max(0, targetIndex - 1), targetIndex + nearTurns);
  const { isOn, showAll } = useTurnsOnPage(turns.length, targetIndex === -1 ? undefined : targetIndex);

  useWindowEvent('beforeprint', () => {
    flushSync(showAll);
    flushSync(drawing.drawAll);
  });
  useEffect(() => drawing.stop, [drawing]);

  const onPage = turns.filter((_, place) => isOn(place));
  return onPage.map((turn, index) => {
    const isLast = index === onPage.length - 1;
    return (
      // Versions of a turn share a key: the buttons that lead to the others stay mounted and keep the focus.
      <TurnFrame
        key={turn.parentId ?? 'first'}
        conversation={conversation}
        turn={turn}
        onRegenerate={onRegenerate}
        isEdited={turn.id === editedId}
        versions={versions.get(turn.id)}
        canShowVersion={versions.has(turn.id) && canShowVersion(state)}
        isLast={isLast}
        isNear={index >= onPage.length - nearTurns || nearLed.includes(turn)}
        drawing={drawing}
      >
        {isLast && children}
      </TurnFrame>
    );
  });
}
