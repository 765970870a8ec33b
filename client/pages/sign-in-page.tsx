import { useTranslations } from 'use-intl/react';
import { Link, Redirect, useSearch } from 'wouter';
import { useHistoryState } from 'wouter/use-browser-location';
import { pages } from '../../shared/interface.ts';
import { providerLabels, type SignInProblem, signInProblems } from '../../shared/session.ts';
import { Card } from '../controls/card.tsx';
import { Notice } from '../controls/notice.tsx';
import { keptInvitation, takeInvitation } from '../session/invitation.ts';
import { useWasRefused } from '../session/refused.ts';
import { providerAddress, returnTo } from '../session/return-to.ts';
import { Header } from '../ui/header.tsx';
import { ProviderMark } from '../ui/provider-mark.tsx';
import { JoinQuestion } from './join-question.tsx';
import { WithSession } from './with-session.tsx';

export function SignInPage() {
  const say = useTranslations('signIn');
  const sayProblem = useTranslations('signInProblems');
  const search = useSearch();
  const state = useHistoryState();
  const target = returnTo(search);
  const wasRefused = useWasRefused();
  const problem = problemIn(search);
  const arrived = takeInvitation(search);
  // After a problem the invitation is used, or the person starts again from its link.
  const invitation = problem ? undefined : keptInvitation(state);

  if (arrived) return <Redirect to={arrived.address} state={arrived.entry} replace />;
  return (
    <WithSession>
      {({ user, providers }) => {
        const onward = user?.onboarded ? target : pages.onboarding;
        if (user && !invitation) return <Redirect to={onward} replace />;
        const accounts = (
          <>
            <title>{say('title')}</title>
            <Header hasSettings />
            <Card heading={say('heading')} lead={say('lead')}>
              {wasRefused && <Notice tone="warning">{say('wasRefused')}</Notice>}
              {invitation && <Notice tone="calm">{say('invited')}</Notice>}
              {problem && <Notice tone="error">{sayProblem(problem)}</Notice>}
              {providers.length === 0 && <Notice tone="error">{say('noProvider')}</Notice>}
              <ul className="providers">
                {providers.map((provider) => (
                  <li key={provider}>
                    <a className="button" href={providerAddress(provider, target, invitation)}>
                      <ProviderMark provider={provider} />
                      {say('continueWith', { provider: providerLabels[provider] })}
                    </a>
                  </li>
                ))}
              </ul>
              <p className="aside">{say('whatWeLearn')}</p>
              <p className="aside">
                {say.rich('justLooking', { demo: (words) => <Link href={pages.demo}>{words}</Link> })}
              </p>
            </Card>
          </>
        );
        if (!user || !invitation) return accounts;
        return <JoinQuestion key={user.id} {...{ user, invitation, onward, accounts }} />;
      }}
    </WithSession>
  );
}

/** The problem that the address names, if it is one of ours. */
function problemIn(search: string): SignInProblem | undefined {
  const named = new URLSearchParams(search).get('problem') ?? '';
  return isProblem(named) ? named : undefined;
}

function isProblem(name: string): name is SignInProblem {
  return Object.hasOwn(signInProblems, name);
}
