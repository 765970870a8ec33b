import { Link, Redirect, useSearch } from 'wouter';
import { useHistoryState } from 'wouter/use-browser-location';
import { pages } from '../../shared/interface.ts';
import { providerLabels, signInProblems } from '../../shared/session.ts';
import { keptInvitation, takeInvitation } from '../session/invitation.ts';
import { useWasRefused } from '../session/refused.ts';
import { providerAddress, returnTo } from '../session/return-to.ts';
import { Card } from '../ui/card.tsx';
import { Header } from '../ui/header.tsx';
import { Notice } from '../ui/notice.tsx';
import { ProviderMark } from '../ui/provider-mark.tsx';
import { WithSession } from './with-session.tsx';

export function SignInPage() {
  const search = useSearch();
  const state = useHistoryState();
  const target = returnTo(search);
  const wasRefused = useWasRefused();
  const problem = new Map(Object.entries(signInProblems)).get(new URLSearchParams(search).get('problem') ?? '');
  const arrived = takeInvitation(search);
  // After a problem the invitation is used, or the person starts again from its link.
  const invitation = problem ? undefined : keptInvitation(state);

  if (arrived) return <Redirect to={arrived.address} state={arrived.entry} replace />;
  return (
    <>
      <title>Sign in · Advisory Chat</title>
      <WithSession>
        {({ user, providers }) => {
          // Who is signed in may join another organization by an invitation: they choose with which account.
          if (user && !invitation) return <Redirect to={user.onboarded ? target : pages.onboarding} replace />;
          return (
            <>
              <Header hasSettings />
              <Card heading="Sign in" lead="Work on your organization's engagement.">
                {wasRefused && (
                  <Notice tone="warning">You are no longer signed in. What you typed is kept: sign in to go on.</Notice>
                )}
                {invitation && <Notice tone="calm">You have been invited: choose how to sign in.</Notice>}
                {problem && <Notice tone="error">{problem}</Notice>}
                {providers.length === 0 && <Notice tone="error">No way to sign in is set up on this service.</Notice>}
                <ul className="providers">
                  {providers.map((provider) => (
                    <li key={provider}>
                      <a className="button" href={providerAddress(provider, target, invitation)}>
                        <ProviderMark provider={provider} />
                        Continue with {providerLabels[provider]}
                      </a>
                    </li>
                  ))}
                </ul>
                <p className="aside">
                  We learn your name and e-mail address, and keep no access to your account there.
                </p>
                <p className="aside">
                  Just looking? <Link href={pages.demo}>Try the demo</Link> without an account.
                </p>
              </Card>
            </>
          );
        }}
      </WithSession>
    </>
  );
}
