import { useQueryClient } from '@tanstack/react-query';
import { Fragment, type ReactNode, useState } from 'react';
import { useTranslations } from 'use-intl/react';
import { Link, useRoute } from 'wouter';
import { pages } from '../../../shared/interface.ts';
import { useWindowEvent } from '../../browser/use-window-event.ts';
import type { Conversation } from '../../chat/conversation-interface.ts';
import { canSend, type TurnsState } from '../../chat/conversation-state.ts';
import { type Ending, hasReply } from '../../chat/turn.ts';
import { useCommandRegistry } from '../../commands/commands-provider.tsx';
import { Button } from '../../controls/button.tsx';
import { CopyButton } from '../../controls/copy-button.tsx';
import { Countdown, useDistantTime } from '../../controls/countdown.tsx';
import { Notice } from '../../controls/notice.tsx';
import { isUnreachable, sessionQuery, useSession } from '../../session/session.ts';
import { signInUrl } from '../../session/sign-in.ts';
import {
  advice,
  exhaustedBudget,
  isLimitOrBudget,
  type LimitOrBudget,
  type ProblemEnding,
  type ProblemName,
  problemOf,
  problemRemedies,
  type Remedy,
} from '../../turns/problem.ts';
import { usePersistenceHint } from '../page/use-persistence-hint.ts';

type EndingNoticeProps = {
  conversation: Conversation;
  state: TurnsState;
  onTryAgain: () => void;
};

/** Explains why the last turn is incomplete or why no turn can be sent now, with the buttons that help. */
export function EndingNotice({ conversation, state, onTryAgain }: EndingNoticeProps) {
  const t = useTranslations('problem');
  const tCommand = useTranslations('commands');
  const { cooldownUntil, turns } = state;
  const last = turns.at(-1);
  const ending = last?.ending;
  const hasText = hasReply(last);
  // A reply with text has its own actions.
  const tryAgain = !hasText && (
    <Button disabled={!canSend(state)} onClick={onTryAgain}>
      {tCommand('tryAgain')}
    </Button>
  );
  const limit = ending && isLimitOrBudget(ending) ? ending : undefined;

  // Any other ending keeps its own notice, because the limit did not cause it.
  if (cooldownUntil !== null && (limit || !ending || ending.type === 'done')) {
    return (
      <LimitNotice ending={limit} deadline={cooldownUntil}>
        {limit && tryAgain}
      </LimitNotice>
    );
  }
  if (last && conversation.mayBeTruncated(last)) {
    return <Notice tone="calm" title={t('mayBeCut')} />;
  }
  if (!ending || ending.type === 'done' || ending.type === 'stopped') return null;
  return (
    <Problem
      ending={ending}
      hasText={hasText}
      isContinuation={last?.isContinuation === true}
      onEdit={() => conversation.edit()}
      tryAgainButton={tryAgain}
    />
  );
}

type LimitNoticeProps = {
  /** The ending of the last turn, if the limit refused it. */
  ending: Ending | undefined;
  /** A time of `steadyNow`. */
  deadline: number;
  children: ReactNode;
};

/** In demo chat the notice also links to live chat, which has its own limit. */
function LimitNotice({ ending, deadline, children }: LimitNoticeProps) {
  const t = useTranslations('limit');
  const when = useDistantTime(deadline);
  const [isDemo] = useRoute(pages.demo);
  const limit: LimitOrBudget = exhaustedBudget(ending) ?? (isDemo ? 'demo' : 'live');
  return (
    <Notice
      tone="calm"
      // The countdown is outside the status, so that screen readers do not announce every second.
      title={<span role="status">{t(limit)}</span>}
      advice={
        when === undefined
          ? t.rich('untilSoon', { countdown: () => <Countdown deadline={deadline} /> })
          : t('untilLater', { when })
      }
    >
      {isDemo && <LiveChatLink />}
      {children}
    </Notice>
  );
}

function LiveChatLink() {
  const t = useTranslations('limit');
  const { data: session } = useSession();
  return (
    <Link className="button button-primary" href={session?.user ? pages.chat : signInUrl(pages.chat)}>
      {t(session?.user ? 'ownEngagement' : 'signIn')}
    </Link>
  );
}

type ProblemProps = {
  ending: ProblemEnding;
  hasText: boolean;
  isContinuation: boolean;
  onEdit: () => void;
  /** The “Try again” button; false if the reply has text. */
  tryAgainButton: ReactNode;
};

function Problem({ ending, hasText, isContinuation, onEdit, tryAgainButton }: ProblemProps) {
  const t = useTranslations('problem');
  const persistenceHint = usePersistenceHint();
  const name = problemOf(ending, hasText);
  const recovery = useRecoveryMessage();
  const recoveryMessage = name === 'unreachable' ? recovery : undefined;
  // The remedies for a session problem are no longer needed once the session is valid again.
  const isSolved = useHasSession() && isAboutSession(name);
  const remedies: readonly Remedy[] = isSolved ? ['tryAgain'] : problemRemedies[name];
  const key = isSolved ? 'askNow' : advice[name];
  return (
    <Notice
      tone={ending.type === 'left' || isLimitOrBudget(ending) ? 'calm' : 'error'}
      title={t(ending.type === 'left' && isContinuation ? 'pageLeftDuringReply' : name)}
      advice={
        <>
          {key && !hasText && !recoveryMessage && t(key)}
          {/* The region is rendered while empty, because screen readers announce only changes of an existing element. */}
          <span role="status">{recoveryMessage && t(recoveryMessage)}</span>
          {name === 'signedOut' && !isSolved && persistenceHint('typed')}
        </>
      }
    >
      <RequestDetails ending={ending} />
      {remedies.map((remedy) =>
        remedy === 'tryAgain' ? (
          <Fragment key={remedy}>{tryAgainButton}</Fragment>
        ) : (
          <RemedyButton key={remedy} remedy={remedy} onEdit={onEdit} />
        ),
      )}
    </Notice>
  );
}

const sessionProblems: readonly ProblemName[] = ['signedOut', 'sessionEnded', 'notOnboarded'];

function isAboutSession(name: ProblemName): boolean {
  return sessionProblems.includes(name);
}

/** Returns whether the page knows that live chat accepts questions of the user. A rejected session is invalid until it is read again. */
function useHasSession(): boolean {
  const queryClient = useQueryClient();
  // Reading `isFetching` renders the component again once the session has been read.
  const { data, isFetching } = useSession();
  const isRejected = isFetching && queryClient.getQueryState(sessionQuery.queryKey)?.isInvalidated === true;
  return data?.user?.onboarded === true && !isRejected;
}

/**
 * Returns the message if the browser has come back online, or if the service has responded again, since the component was mounted.
 * Nothing is sent again automatically.
 */
function useRecoveryMessage(): 'backOnline' | 'reachableAgain' | undefined {
  const { error } = useSession();
  const [wasUnreachable, setWasUnreachable] = useState(false);
  const [isBackOnline, setIsBackOnline] = useState(false);
  useWindowEvent('offline', () => setIsBackOnline(false));
  useWindowEvent('online', () => setIsBackOnline(true));
  if (!wasUnreachable && isUnreachable(error)) setWasUnreachable(true);
  if (isBackOnline) return 'backOnline';
  return wasUnreachable && error === null ? 'reachableAgain' : undefined;
}

type RemedyButtonProps = { remedy: Exclude<Remedy, 'tryAgain'>; onEdit: () => void };

function RemedyButton({ remedy, onEdit }: RemedyButtonProps) {
  const t = useTranslations('problem');
  const registry = useCommandRegistry();
  if (remedy === 'signIn' || remedy === 'onboarding') {
    return (
      <Link className="button" href={remedy === 'signIn' ? signInUrl(pages.chat) : pages.onboarding}>
        {t(remedy)}
      </Link>
    );
  }
  const actions = {
    edit: onEdit,
    newConversation: () => registry.run('newConversation'),
    reload: () => window.location.reload(),
  };
  return <Button onClick={actions[remedy]}>{t(remedy)}</Button>;
}

/** Shows the id by which an operator finds the request in the log, and the service's sentence for an error without a code. */
function RequestDetails({ ending }: { ending: ProblemEnding }) {
  const t = useTranslations('requestId');
  return (
    <details className="request-id">
      <summary>{t('details')}</summary>
      {ending.type === 'failed' && !ending.code && <p lang="en">{ending.sentence}</p>}
      <p>
        {t.rich('request', { id: ending.requestId, code: (id) => <code>{id}</code> })}
        <CopyButton label={t('copy')} text={ending.requestId} />
      </p>
    </details>
  );
}
