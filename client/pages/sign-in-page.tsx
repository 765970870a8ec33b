import '../language/messages/en.ts';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useTranslations } from 'use-intl/react';
import { Link, Redirect, useSearch } from 'wouter';
import { useHistoryState } from 'wouter/use-browser-location';
import { pages } from '../../shared/interface.ts';
import {
  type ProviderName,
  providerLabels,
  type SignInProblem,
  signInProblems,
  type User,
} from '../../shared/session.ts';
import { useWindowEvent } from '../browser/use-window-event.ts';
import { Button } from '../controls/button.tsx';
import { Card, LoadingPage } from '../controls/card.tsx';
import { Notice } from '../controls/notice.tsx';
import { hasRetainedConversations } from '../device/device-storage.ts';
import { invitationInState, joinQuestionQuery, readInvitation, useJoin } from '../session/invitation.ts';
import { lastProvider, providerUrl, readReturnTo, storeLastProvider } from '../session/sign-in.ts';
import { AccountMenu } from '../ui/page/account.tsx';
import { Header } from '../ui/page/header.tsx';
import { usePersistenceHint } from '../ui/page/use-persistence-hint.ts';
import { loadLibrary } from './live-chat/load-library.ts';
import { WithSession } from './with-session.tsx';

export function SignInPage() {
  const t = useTranslations('signIn');
  const tProblem = useTranslations('signInProblems');
  const persistenceHint = usePersistenceHint();
  const search = useSearch();
  const state = useHistoryState();
  const target = readReturnTo(search);
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
      {({ user, providers, hasEnded }) => {
        const nextPage = user?.onboarded ? target : pages.onboarding;
        if (user && !invitation) return <Redirect to={nextPage} replace />;
        // A sign-out keeps the conversations or forgets the provider.
        const isSignedOut = hasRetainedConversations() || lastUsed === undefined;
        const isRefused = problem !== undefined && refusals.includes(problem);
        const choosesAccount = user !== null || isSignedOut || isRefused;
        const signInContent = (
          <>
            <title>{t('title')}</title>
            <Header hasSettings />
            <Card heading={t('heading')} lead={t('lead')}>
              {hasEnded && <Notice tone="warning">{t('sessionEnded') + persistenceHint('typed')}</Notice>}
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
        if (!user || !invitation) return signInContent;
        return <JoinPage key={user.id} {...{ user, invitation, nextPage, signInContent }} />;
      }}
    </WithSession>
  );
}

/** The problems after which the user may want another account. */
const refusals: readonly SignInProblem[] = ['cancelled', 'uninvited', 'invitation', 'suspended'];

function problemIn(search: string): SignInProblem | undefined {
  const name = new URLSearchParams(search).get('problem') ?? '';
  return isSignInProblem(name) ? name : undefined;
}

function isSignInProblem(name: string): name is SignInProblem {
  return Object.hasOwn(signInProblems, name);
}

type JoinPageProps = {
  user: User;
  invitation: string;
  /** The page to open after joining or staying. */
  nextPage: string;
  /** Shown instead if the invitation names no organization, and after “Use a different account”. */
  signInContent: ReactNode;
};

function JoinPage({ user, invitation, nextPage, signInContent }: JoinPageProps) {
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
        <AccountMenu user={user} openLibrary={() => loadLibrary(user.id)} />
      </Header>
      {content}
    </>
  );
  const stayIn = (organization: string) => (
    <Link className="button" href={nextPage} replace>
      {t('stay', { organization })}
    </Link>
  );

  if (isPending) return page(<LoadingPage />);
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
  if (to === null || wantsOtherAccount) return signInContent;
  if (to.id === from.id) return <Redirect to={nextPage} replace />;
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

const logoPaths: Record<ProviderName, string> = {
  google:
    'M12.48 10.92v3.28h7.84c-.24 1.84-.853 3.187-1.787 4.133-1.147 1.147-2.933 2.4-6.053 2.4-4.827 0-8.6-3.893-8.6-8.72s3.773-8.72 8.6-8.72c2.6 0 4.507 1.027 5.907 2.347l2.307-2.307C18.747 1.44 16.133 0 12.48 0 5.867 0 .307 5.387.307 12s5.56 12 12.173 12c3.573 0 6.267-1.173 8.373-3.36 2.16-2.16 2.84-5.213 2.84-7.667 0-.76-.053-1.467-.173-2.053H12.48z',
  github:
    'M12 .297c-6.63 0-12 5.373-12 12 0 5.303 3.438 9.8 8.205 11.385.6.113.82-.258.82-.577 0-.285-.01-1.04-.015-2.04-3.338.724-4.042-1.61-4.042-1.61C4.422 18.07 3.633 17.7 3.633 17.7c-1.087-.744.084-.729.084-.729 1.205.084 1.838 1.236 1.838 1.236 1.07 1.835 2.809 1.305 3.495.998.108-.776.417-1.305.76-1.605-2.665-.3-5.466-1.332-5.466-5.93 0-1.31.465-2.38 1.235-3.22-.135-.303-.54-1.523.105-3.176 0 0 1.005-.322 3.3 1.23.96-.267 1.98-.399 3-.405 1.02.006 2.04.138 3 .405 2.28-1.552 3.285-1.23 3.285-1.23.645 1.653.24 2.873.12 3.176.765.84 1.23 1.91 1.23 3.22 0 4.61-2.805 5.625-5.475 5.92.42.36.81 1.096.81 2.22 0 1.606-.015 2.896-.015 3.286 0 .315.21.69.825.57C20.565 22.092 24 17.592 24 12.297c0-6.627-5.373-12-12-12z',
  microsoft: 'M0 0h11.4v11.4H0zM12.6 0H24v11.4H12.6zM0 12.6h11.4V24H0zM12.6 12.6H24V24H12.6z',
};

/** Hidden from screen readers, because its button names the provider. */
function ProviderMark({ provider }: { provider: ProviderName }) {
  return (
    <svg className="provider-mark" viewBox="0 0 24 24" aria-hidden="true">
      <path d={logoPaths[provider]} />
    </svg>
  );
}
