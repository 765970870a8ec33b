import '../language/messages/en.ts';
import { lazy, Suspense } from 'react';
import { useTranslations } from 'use-intl/react';
import { Redirect, useSearch } from 'wouter';
import { pages } from '../../shared/interface.ts';
import { Card } from '../controls/card.tsx';
import { readReturnToAfterOnboarding, signInUrl } from '../session/sign-in.ts';
import { AccountMenu } from '../ui/page/account.tsx';
import { Header } from '../ui/page/header.tsx';
import { loadLibrary } from './live-chat/load-library.ts';
import { WithSession } from './with-session.tsx';

// The form and its validation are a separate chunk, because most users see them once.
const OnboardingForm = lazy(async () => ({
  default: (await import('../onboarding/onboarding-form.tsx')).OnboardingForm,
}));

export function OnboardingPage() {
  const t = useTranslations('onboarding');
  const search = useSearch();
  return (
    <>
      <title>{t('title')}</title>
      <WithSession>
        {({ user }) => {
          if (user === null) return <Redirect to={signInUrl(pages.onboarding)} replace />;
          if (user.onboarded) return <Redirect to={readReturnToAfterOnboarding(search)} replace />;
          return (
            <>
              <Header>
                <AccountMenu user={user} openLibrary={() => loadLibrary(user.id)} />
              </Header>
              <Card isWide heading={t('heading')} lead={t('lead')}>
                <Suspense>
                  <OnboardingForm key={user.id} user={user} />
                </Suspense>
              </Card>
            </>
          );
        }}
      </WithSession>
    </>
  );
}
