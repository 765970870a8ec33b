import { useTranslations } from 'use-intl/react';
import { Redirect } from 'wouter';
import { pages } from '../../shared/interface.ts';
import { OnboardingForm } from '../onboarding/onboarding-form.tsx';
import { signInAddress } from '../session/return-to.ts';
import { Account } from '../ui/account.tsx';
import { Card } from '../ui/card.tsx';
import { Header } from '../ui/header.tsx';
import { WithSession } from './with-session.tsx';

export function OnboardingPage() {
  const say = useTranslations('onboarding');
  return (
    <>
      <title>{say('title')}</title>
      <WithSession>
        {({ user }) => {
          if (user === null) return <Redirect to={signInAddress(pages.onboarding)} replace />;
          if (user.onboarded) return <Redirect to={pages.chat} replace />;
          return (
            <>
              <Header>
                <Account user={user} />
              </Header>
              <Card wide heading={say('heading')} lead={say('lead')}>
                <OnboardingForm key={user.id} user={user} />
              </Card>
            </>
          );
        }}
      </WithSession>
    </>
  );
}
