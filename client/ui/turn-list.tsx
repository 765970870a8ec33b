import { type ReactNode, useEffect, useState } from 'react';
import { flushSync } from 'react-dom';
import type { Conversation } from '../chat/conversation-interface.ts';
import { canShowVersion, type TurnsState } from '../chat/conversation-state.ts';
import { useWindowEvent } from '../controls/use-window-event.ts';
import { createDrawing } from '../reading/drawing.ts';
import { useTurnsOnPage } from '../reading/use-turns-on-page.ts';
import { TurnFrame } from './turn-view.tsx';

type TurnListProps = {
  conversation: Conversation;
  state: TurnsState;
  /** The turn to which somebody is about to be led, if any: it is on the page from the start. */
  ledToId: string | undefined;
  /** What is said about the latest turn. It is a part of that turn, so that the room that is kept for the reply holds it. */
  children: ReactNode;
};

/** So many of the latest turns, and of those to which somebody is led, are drawn at once: they fill the window. */
const nearTurns = 3;

/** The turns of a conversation, one element each. A long conversation is opened at its end, and the rest is drawn later. */
export function TurnList({ conversation, state, ledToId, children }: TurnListProps) {
  const { turns, versions } = state;
  const [drawing] = useState(createDrawing);
  const ledTo = ledToId === undefined ? -1 : turns.findIndex(({ id }) => id === ledToId);
  const nearLed = ledTo === -1 ? [] : turns.slice(Math.max(0, ledTo - 1), ledTo + nearTurns);
  const { isOn, takeAll } = useTurnsOnPage(turns.length, ledTo === -1 ? undefined : ledTo);

  useWindowEvent('beforeprint', () => {
    flushSync(takeAll);
    flushSync(drawing.drawAll);
  });
  useEffect(() => drawing.stop, [drawing]);

  const onPage = turns.filter((_, place) => isOn(place));
  return onPage.map((turn, index) => {
    const isLast = index === onPage.length - 1;
    return (
      // Of the versions in one place one is shown: the way to the others stays where it is, and keeps the focus.
      <TurnFrame
        key={turn.parentId ?? 'first'}
        conversation={conversation}
        turn={turn}
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
