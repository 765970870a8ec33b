import { useMemo } from 'react';
import { useTranslations } from 'use-intl/react';
import type { Conversation } from '../chat/conversation.ts';
import { type ConversationState, isWrittenElsewhere } from '../chat/conversation-state.ts';
import { exceedsHistory } from '../chat/history.ts';
import type { AskTurn } from '../turns/use-turn.ts';
import { EndingNotice } from './ending-notice.tsx';
import { Progress, ThinkingDots } from './progress.tsx';
import { RetryNotice } from './retry-notice.tsx';
import { TurnActions } from './turn-actions.tsx';
import { useTurnCommands } from './use-turn-commands.ts';

type TurnStatusProps = { conversation: Conversation; state: ConversationState; turn: AskTurn };

/** The state of the last turn, below it: what it is doing, when it is sent again, or how it ended and what to do next. */
export function TurnStatus({ conversation, state, turn }: TurnStatusProps) {
  const say = useTranslations('waiting');
  const { phase, turns, setback } = state;
  const last = turns.at(-1);
  useTurnCommands(conversation, state, turn);
  if (phase.name === 'retrying') return <RetryNotice retrying={phase} onCancel={conversation.stop} />;
  if (phase.name !== 'idle') return <Progress conversation={conversation} phase={phase} />;
  if (isWrittenElsewhere(state)) return <ThinkingDots>{say('elsewhere')}</ThinkingDots>;

  return (
    <>
      <EndingNotice
        conversation={conversation}
        state={state}
        ending={setback ?? last?.ending}
        hasReply={setback === null && last !== undefined && last.reply !== ''}
        onTryAgain={turn.tryAgain}
      />
      {last && <TurnActions state={state} turn={turn} last={last} />}
      <HistoryNotice turns={turns} />
    </>
  );
}

/** Says that the conversation has become too long for all of it to go along with the next question. */
function HistoryNotice({ turns }: Pick<ConversationState, 'turns'>) {
  const say = useTranslations('conversation');
  const isTooLong = useMemo(() => exceedsHistory(turns), [turns]);
  return isTooLong && <p className="aside">{say('tooLong')}</p>;
}
