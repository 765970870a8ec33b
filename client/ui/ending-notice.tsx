import { useTranslations } from 'use-intl/react';
import type { Conversation } from '../chat/conversation.ts';
import type { ConversationState } from '../chat/conversation-state.ts';
import { isLimit } from '../chat/problem.ts';
import type { Ending } from '../chat/turn.ts';
import { Notice } from '../controls/notice.tsx';
import { LimitNotice } from './limit-notice.tsx';
import { Problem } from './problem.tsx';
import { TryAgain } from './try-again.tsx';

type EndingNoticeProps = {
  conversation: Conversation;
  state: ConversationState;
  /** How the last turn ended, or the attempt to replace it; undefined where there is none. */
  ending: Ending | null | undefined;
  hasReply: boolean;
  onTryAgain: () => void;
};

/** Says how a turn ended that did not end well, or why none can be asked for, and what can be done about it. */
export function EndingNotice({ conversation, state, ending, hasReply, onTryAgain }: EndingNoticeProps) {
  const say = useTranslations('problem');
  const { blockedUntil } = state;
  const tryAgain = <TryAgain state={state} onTryAgain={onTryAgain} />;
  const limit = ending && isLimit(ending) ? ending : undefined;

  // What the limit has refused can be asked again when it is over; what went before has nothing to do with it.
  if (blockedUntil !== null && (limit || !ending || ending.type === 'done')) {
    return (
      <LimitNotice ending={limit} deadline={blockedUntil}>
        {limit && tryAgain}
      </LimitNotice>
    );
  }
  if (!ending || ending.type === 'done') return null;
  if (ending.type === 'stopped') {
    return (
      <Notice tone="calm">
        <p>{say(hasReply ? 'stoppedReply' : 'stoppedQuestion')}</p>
        {tryAgain}
      </Notice>
    );
  }
  return <Problem ending={ending} hasReply={hasReply} onEdit={() => conversation.edit()} tryAgain={tryAgain} />;
}
