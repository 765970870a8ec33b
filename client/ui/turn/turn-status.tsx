import { type ReactNode, useMemo } from 'react';
import { useTranslations } from 'use-intl/react';
import type { RetriedCode } from '../../../shared/errors.ts';
import { writeToClipboard } from '../../browser/clipboard.ts';
import { useWindowEvent } from '../../browser/use-window-event.ts';
import type { Conversation } from '../../chat/conversation-interface.ts';
import { canSend, isLastTurnRunningElsewhere, type Phase, type TurnsState } from '../../chat/conversation-state.ts';
import type { Retrying } from '../../chat/send-turn.ts';
import { hasReply, type Turn } from '../../chat/turn.ts';
import { isCommandKey } from '../../commands/command-key.ts';
import { useRegisterCommands } from '../../commands/commands-provider.tsx';
import { Button, IconButton } from '../../controls/button.tsx';
import { Countdown, useSteadyNow } from '../../controls/countdown.tsx';
import { formatDuration } from '../../controls/duration.ts';
import { Notice } from '../../controls/notice.tsx';
import { CopyReplyButton } from '../../documents/copy-reply.tsx';
import { useConversationDocument } from '../../documents/use-conversation-document.ts';
import { canContinue } from '../../turns/problem.ts';
import { type TurnActions, useDraft } from '../../turns/use-turn.ts';
import { waitingTime } from '../../turns/waiting-time.ts';
import { messageFieldId } from '../page/composer.tsx';
import { usePersistenceHint } from '../page/use-persistence-hint.ts';
import { EndingNotice } from './ending-notice.tsx';

type StatusProps = { conversation: Conversation; title: string | undefined; state: TurnsState; actions: TurnActions };

export function TurnStatus({ conversation, title, state, actions }: StatusProps) {
  const t = useTranslations('waiting');
  const tProblem = useTranslations('problem');
  const { phase, turns } = state;
  const continueReply = () => actions.continueReply(tProblem('continueQuestion'));
  useTurnCommands({ conversation, title, state, actions, continueReply });
  if (phase.name === 'retrying') return <RetryNotice retrying={phase} onCancel={conversation.stop} />;
  if (phase.name === 'offline') return <OfflineTurnNotice conversation={conversation} />;
  if (phase.name !== 'idle') return <Progress state={state} phase={phase} />;
  if (isLastTurnRunningElsewhere(state)) return <ThinkingDots>{t('elsewhere')}</ThinkingDots>;

  return (
    <>
      <EndingNotice conversation={conversation} state={state} onTryAgain={actions.tryAgain} />
      <HistoryNotice conversation={conversation} turns={turns} />
    </>
  );
}

/** “Edit” moves the unsent question back into the message field. */
function OfflineTurnNotice({ conversation }: { conversation: Conversation }) {
  const t = useTranslations('waiting');
  const tComposer = useTranslations('composer');
  const unqueue = () => {
    conversation.stop();
    conversation.edit();
  };
  return (
    <Notice tone="calm" title={<span role="status">{t('offline')}</span>} advice={t('offlineAdvice')}>
      <Button onClick={unqueue}>{tComposer('cancelAndEdit')}</Button>
    </Notice>
  );
}

function HistoryNotice({ conversation, turns }: Pick<StatusProps, 'conversation'> & Pick<TurnsState, 'turns'>) {
  const t = useTranslations('conversation');
  const isTooLong = useMemo(() => conversation.exceedsHistory(turns), [conversation, turns]);
  return isTooLong && <p className="aside">{t('tooLong')}</p>;
}

type RunningPhase = Phase & { name: 'starting' | 'waiting' | 'streaming' };

function Progress({ state, phase }: { state: TurnsState; phase: RunningPhase }) {
  const t = useTranslations('waiting');
  const persistenceHint = usePersistenceHint();
  const { seconds, delay } = waitingTime(state, useSteadyNow(1000));
  return (
    <>
      <ThinkingDots>
        <ProgressText phase={phase} seconds={seconds} />
      </ThinkingDots>
      {/* The region is rendered while empty, because screen readers announce only changes of an existing element. */}
      <p className="waiting-long" role="status">
        {delay && (delay === 'reply' ? t('slowReply') : t('slowRest') + persistenceHint('arrived'))}
      </p>
    </>
  );
}

function ProgressText({ phase, seconds }: { phase: RunningPhase; seconds: number | null }) {
  const t = useTranslations('waiting');
  const tTime = useTranslations('duration');
  const time = seconds === null ? undefined : formatDuration(tTime, seconds);
  if (phase.name === 'starting') return t('sending');
  if (phase.name === 'streaming') return time === undefined ? t('writing') : t('writingFor', { time });
  const { attempt } = phase;
  if (attempt > 1) return time === undefined ? t('tryingAgain', { attempt }) : t('tryingAgainFor', { attempt, time });
  return time === undefined ? t('thinking') : t('thinkingFor', { time });
}

function ThinkingDots({ children }: { children: ReactNode }) {
  return (
    <p className="thinking">
      <span className="thinking-dots" aria-hidden="true">
        <i />
        <i />
        <i />
      </span>
      <span>{children}</span>
    </p>
  );
}

/** Counts down to the next automatic attempt. A wait that the service requested has no “Try now”. */
function RetryNotice({ retrying, onCancel }: { retrying: Retrying; onCancel: () => void }) {
  const t = useTranslations('retrying');
  const tCommand = useTranslations('commands');
  const reason = useRetryReason();
  const { attempt, attempts, resumesAt, retryNow } = retrying;
  return (
    <Notice
      tone="calm"
      title={reason(retrying)}
      advice={t.rich('again', { countdown: () => <Countdown deadline={resumesAt} />, attempt, attempts })}
    >
      {retryNow && <Button onClick={retryNow}>{t('now')}</Button>}
      <Button onClick={onCancel}>{tCommand('cancel')}</Button>
    </Notice>
  );
}

const reasons = {
  RATE_LIMITED: 'limited',
  UPSTREAM_OVERLOADED: 'busy',
  UPSTREAM_ERROR: 'failed',
} as const satisfies Record<RetriedCode, string>;

/** Returns the reason in the language of the page. Unknown codes fall back to the service's own sentence. */
export function useRetryReason(): (retrying: Retrying) => string {
  const t = useTranslations('retrying');
  const reasonOfCode = new Map<string, (typeof reasons)[keyof typeof reasons]>(Object.entries(reasons));
  return ({ code, sentence }) => {
    const reason = reasonOfCode.get(code);
    return reason === undefined ? sentence : t(reason);
  };
}

type LastTurnActionsProps = Omit<StatusProps, 'title'> & { reply: string };

/**
 * The actions of the last turn, which depend on how it ended. An incomplete turn without text has the button to try again in its
 * notice, unless the user stopped it. A stopped turn says so here, because nothing has gone wrong.
 */
export function LastTurnActions({ conversation, state, actions, reply }: LastTurnActionsProps) {
  const last = state.turns.at(-1);
  const t = useTranslations('problem');
  const tCommand = useTranslations('commands');
  const tCopy = useTranslations('copying');
  const isEditing = useDraft(conversation, ({ setAside }) => setAside !== null);
  const ending = last?.ending;
  const isStopped = ending?.type === 'stopped';
  const isDisabled = !canSend(state);
  const isRepeatable =
    ending?.type === 'done' ? !isEditing : isStopped || (ending && canContinue(ending, hasReply(last)));
  return (
    <>
      {isContinuable(conversation, last) && (
        <IconButton
          icon="arrow"
          label={tCommand('continueReply')}
          isLabelVisible
          disabled={isDisabled}
          onClick={() => actions.continueReply(t('continueQuestion'))}
        />
      )}
      {hasReply({ reply }) && <CopyReplyButton label={tCopy('reply')} reply={reply} />}
      {isRepeatable && (
        <IconButton
          icon="again"
          label={tCommand('tryAgain')}
          disabled={isDisabled}
          onClick={ending?.type === 'done' ? () => actions.regenerate() : actions.tryAgain}
        />
      )}
      {isStopped && <p className="aside">{t('stopped')}</p>}
    </>
  );
}

function isContinuable(conversation: Conversation, last: Turn | undefined): boolean {
  if (!last?.ending) return false;
  return conversation.mayBeTruncated(last) || canContinue(last.ending, hasReply(last));
}

type TurnCommands = StatusProps & { continueReply: () => void };

function useTurnCommands({ conversation, title, state, actions, continueReply }: TurnCommands): void {
  const { turns, phase } = state;
  const { toMarkdown, toHtml, print } = useConversationDocument(turns, title);
  const last = turns.at(-1);
  const ending = last?.ending;
  const isEditing = useDraft(conversation, ({ setAside }) => setAside !== null);
  const isIdle = phase.name === 'idle' && ending !== undefined;
  const canAsk = isIdle && canSend(state);
  useRegisterCommands({
    goToMessage: () => document.getElementById(messageFieldId)?.focus(),
    ...(phase.name !== 'idle' && { stop: conversation.stop }),
    ...(canAsk && isContinuable(conversation, last) && { continueReply }),
    ...(canAsk &&
      ending !== null && { tryAgain: ending?.type === 'done' ? () => actions.regenerate() : actions.tryAgain }),
    ...(isIdle && !isEditing && { editLast: () => conversation.edit() }),
    ...(turns.length > 0 && {
      copyConversation: () =>
        writeToClipboard({ text: toMarkdown(), html: toHtml }).then(
          () => true,
          () => false,
        ),
      print,
    }),
  });
  // The browser's own printing cannot wait for drawings.
  useWindowEvent('keydown', (press) => {
    if (turns.length === 0 || !isCommandKey(press, { letter: 'p' })) return;
    press.preventDefault();
    print();
  });
}
