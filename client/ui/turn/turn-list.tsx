import { type ReactNode, useEffect, useState } from 'react';
import { flushSync } from 'react-dom';
import { useWindowEvent } from '../../browser/use-window-event.ts';
import type { Conversation } from '../../chat/conversation-interface.ts';
import { canShowVersion, type TurnsState } from '../../chat/conversation-state.ts';
import { isCommandKey } from '../../commands/command-key.ts';
import { joinContinuations } from '../../library/continued-reply.ts';
import { isReadingKey } from '../../reading/auto-scroll.ts';
import { createDeferredRendering } from '../../rendering/deferred-rendering.ts';
import { useTurnsOnPage } from '../../rendering/use-turns-on-page.ts';
import { laterTurnsOf } from '../../turns/later-turns.ts';
import { type TurnActions, useDraft } from '../../turns/use-turn.ts';
import { useTurnTranslations } from './turn-translations.ts';
import { TurnFrame } from './turn-view.tsx';

type TurnListProps = {
  conversation: Conversation;
  state: TurnsState;
  onRegenerate: TurnActions['regenerate'];
  /** The turn that the page scrolls to after rendering. It is rendered from the start. */
  targetTurnId: string | undefined;
  /** Renders the actions of the last turn, given its reply with all continuations; null while the turn runs. */
  renderActions: ((reply: string) => ReactNode) | null;
  /** The status of the last turn. It is rendered within that turn, in the height reserved for the reply. */
  children: ReactNode;
};

/** The last turns, and as many from the scroll target on, are rendered immediately. So is the turn before the target. */
const nearTurns = 3;

/** A continuation belongs to the turn that it continues. A long conversation renders from its end. */
export function TurnList({ conversation, state, onRegenerate, targetTurnId, renderActions, children }: TurnListProps) {
  const { tree, versions, cooldownUntil } = state;
  const turns = joinContinuations(state.turns);
  const translations = useTurnTranslations();
  const editedId = useDraft(conversation, ({ setAside, editedId }) => (setAside === null ? null : editedId));
  const [rendering] = useState(createDeferredRendering);
  const targetIndex = targetTurnId === undefined ? -1 : turns.findIndex(({ id }) => id === targetTurnId);
  const nearTarget = targetIndex === -1 ? [] : turns.slice(Math.max(0, targetIndex - 1), targetIndex + nearTurns);
  const { isOn, showAll } = useTurnsOnPage(turns.length, targetIndex === -1 ? undefined : targetIndex);

  // The browser's search finds only what is on the page, and Home goes to its start.
  useWindowEvent('keydown', (press) => {
    if (isCommandKey(press, { letter: 'f' }) || (press.key === 'Home' && isReadingKey(press))) flushSync(showAll);
  });
  useWindowEvent('beforeprint', () => {
    flushSync(showAll);
    flushSync(rendering.renderAll);
  });
  useEffect(() => rendering.stop, [rendering]);

  const onPage = turns.filter((_, index) => isOn(index));
  const askedBefore = new Map(turns.map(({ id }, index) => [id, turns[index - 1]?.askedAt ?? null]));
  return onPage.map((turn, index) => {
    const isLast = index === onPage.length - 1;
    return (
      // Versions of a turn share a key, so that the version buttons stay mounted and keep the focus.
      <TurnFrame
        key={turn.parentId ?? 'first'}
        conversation={conversation}
        turn={turn}
        translations={translations}
        onRegenerate={onRegenerate}
        isBlocked={cooldownUntil !== null}
        isEdited={turn.id === editedId}
        versions={versions.get(turn.id)}
        canShowVersion={versions.has(turn.id) && canShowVersion(state)}
        laterTurns={isLast ? laterTurnsOf(tree) : null}
        isLast={isLast}
        previousAskedAt={askedBefore.get(turn.id) ?? null}
        isNear={index >= onPage.length - nearTurns || nearTarget.includes(turn)}
        rendering={rendering}
        lastActions={isLast && renderActions !== null ? renderActions(turn.reply) : null}
      >
        {isLast && children}
      </TurnFrame>
    );
  });
}
