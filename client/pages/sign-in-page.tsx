import '../language/messages/en.ts';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useTranslations } from 'use-intl/react';
import { Link, Redirect, useSearch } from 'wouter';
import { useHistoryState } from 'wouter/use-browser-location';
import { pages } from '../../shared/interface.ts';
import { providerLabels, type SignInProblem, signInProblems, type User } from '../../shared/session.ts';
import { useWindowEvent } from '../browser/use-window-event.ts';
import { Button } from '../controls/button.tsx';
import { Card, Loading } from '../controls/card.tsx';
import { Notice } from '../controls/notice.tsx';
import { hasRetainedConversations } from '../device/device-storage.ts';
import { invitationInState, readInvitation } from '../session/invitation.ts';
import { joinQuestionQuery, useJoin } from '../session/join.ts';
import { lastProvider, storeLastProvider } from '../session/last-provider.ts';
import { providerUrl, readReturnTo } from '../session/return-to.ts';
import { useWasSessionRejected } from '../session/session.ts';
import { AccountMenu } from '../ui/page/account.tsx';
import { Header } from '../ui/page/header.tsx';
import { ProviderMark } from '../ui/page/provider-mark.tsx';
import { usePersistenceHint } from '../ui/page/use-persistence-hint.ts';
import { loadConversationList } from './live-chat/load-conversation-list.ts';
import { WithSession } from './with-session.tsx';

export function SignInPage() {
  const t = useTranslations('signIn');
  const tProblem = useTranslations('signInProblems');
  const persistenceHint = usePersistenceHint();
  const search = useSearch();
  const state = useHistoryState();
  const target = readReturnTo(search);
  const wasRefused = useWasSessionRejected();
  const [lastUsed, setLastUsed] = useState(lastProvider);
  // When the user goes back from the provider, the browser can restore the page as it was before the click.
  useWindowEvent('pageshow', () => setLastUsed(lastProvider()));
  const problem = problemIn(search) ?? (navigator.cookieEnabled ? undefined : 'cookies');
  const arrived = readInvitation(search);
  // Ignores the stored invitation after a failed sign-in: it has been used, or the user will open its link again.
  const invitation = problem ? undefined : invitationInState(state);

  if (arrived) return <Redirect to={arrived.url} state={arrived.historyState} replace />;
  return (
    <WithSession>
      {({ user, providers }) => {
        const onward = user?.onboarded ? target : pages.onboarding;
        if (user && !invitation) return <Redirect to={onward} replace />;
        // A sign-out keeps the conversations or forgets the provider.
        const isSignedOut = hasRetainedConversations() || lastUsed === undefined;
        const isRefused = problem !== undefined && refusals.includes(problem);
        const choosesAccount = user !== null || isSignedOut || isRefused;
        const accounts = (
          <>
            <title>{t('title')}</title>
            <Header hasSettings />
            <Card heading={t('heading')} lead={t('lead')}>
              {wasRefused && <Notice tone="warning">{t('sessionEnded') + persistenceHint('typed')}</Notice>}
              {hasRetainedConversations() && <Notice tone="calm">{t('kept')}</Notice>}
              {invitation && <Notice tone="calm">{t('invited')}</Notice>}
              {problem && <Notice tone="error">{tProblem(problem)}</Notice>}
              {providers.length === 0 && <Notice tone="error">{t('noProvider')}</Notice>}
              <ul className="providers">
                {providers.map((provider) => (
                  <li key={provider}>
                    <a
                      className="button"
                      href={providerUrl(provider, target, { invitation, choosesAccount })}
                      onClick={() => storeLastProvider(provider)}
                    >
                      <ProviderMark provider={provider} />
                      {t('continueWith', { provider: providerLabels[provider] })}
                      {provider === lastUsed && <span className="last-provider">{t('lastUsed')}</span>}
                    </a>
                  </li>
                ))}
              </ul>
              <p className="aside">{t('dataNotice')}</p>
              <p className="aside">{t.rich('demoHint', { demo: (words) => <Link href={pages.demo}>{words}</Link> })}</p>
            </Card>
          </>
        );
        if (!user || !invitation) return accounts;
        return <JoinQuestion key={user.id} {...{ user, invitation, onward, accounts }} />;
      }}
    </WithSession>
  );
}

/** The problems after which the user may want another account. */
const refusals: readonly SignInProblem[] = ['cancelled', 'uninvited', 'invitation', 'suspended'];

function problemIn(search: string): SignInProblem | undefined {
  const name = new URLSearchParams(search).get('problem') ?? '';
  return isProblem(name) ? name : undefined;
}

function isProblem(name: string): name is SignInProblem {
  return Object.hasOwn(signInProblems, name);
}

type JoinQuestionProps = {
  user: User;
  invitation: string;
  /** The page to open after joining or staying. */
  onward: string;
  /** The page with the sign-in buttons, for an invitation that this account cannot use and for users with several accounts. */
  accounts: ReactNode;
};

function JoinQuestion({ user, invitation, onward, accounts }: JoinQuestionProps) {
  const t = useTranslations('join');
  const tProblem = useTranslations('signInProblems');
  const tSession = useTranslations('session');
  const tCommand = useTranslations('commands');
  const { data: question, isPending, isFetching, refetch } = useQuery(joinQuestionQuery(user.id, invitation));
  const join = useJoin(user.id, invitation);
  const [wantsOtherAccount, setWantsOtherAccount] = useState(false);

  const page = (content: ReactNode) => (
    <>
      <title>{t('title')}</title>
      <Header>
        <AccountMenu user={user} openList={() => loadConversationList(user.id)} />
      </Header>
      {content}
    </>
  );
  const stayIn = (organization: string) => (
    <Link className="button" href={onward} replace>
      {t('stay', { organization })}
    </Link>
  );

  if (isPending) return page(<Loading />);
  if (question === undefined) {
    return page(
      <Card heading={t('invitation')}>
        <Notice tone="error">{t('failed')}</Notice>
        <Button kind="primary" onClick={() => refetch()}>
          {isFetching ? tSession('tryingAgain') : tCommand('tryAgain')}
        </Button>
        {stayIn(user.organization.name)}
      </Card>,
    );
  }
  if (question === null) {
    return page(
      <Card heading={t('invitation')}>
        <Notice tone="error">{tProblem('invitation')}</Notice>
        {stayIn(user.organization.name)}
      </Card>,
    );
  }

  const { from, to } = question;
  if (to === null || wantsOtherAccount) return accounts;
  if (to.id === from.id) return <Redirect to={onward} replace />;
  return page(
    <Card heading={t('heading', { organization: to.name })}>
      {join.data === 'changed' && <Notice tone="warning">{t('changed')}</Notice>}
      {join.isError && <Notice tone="error">{t('failed')}</Notice>}
      <p>
        {t.rich('leaving', {
          from: from.name,
          to: to.name,
          strong: (name) => <strong dir="auto">{name}</strong>,
        })}
      </p>
      <p className="aside">{t('expected')}</p>
      <Button kind="primary" disabled={join.isPending} onClick={() => join.mutate({ from: from.id, to: to.id })}>
        {t('join', { organization: to.name })}
      </Button>
      {stayIn(from.name)}
      <Button kind="quiet" onClick={() => setWantsOtherAccount(true)}>
        {t('otherAccount')}
      </Button>
    </Card>,
  );
}
