import { useTranslations } from 'use-intl/react';
import { Route, Switch, useLocation } from 'wouter';
import { conversationPage, pages } from '../shared/interface.ts';
import { InCommands } from './commands/in-commands.tsx';
import { SkipLink } from './controls/skip-link.tsx';
import { ChatPage } from './pages/chat-page.tsx';
import { DemoPage } from './pages/demo-page.tsx';
import { NotFoundPage } from './pages/not-found-page.tsx';
import { OnboardingPage } from './pages/onboarding-page.tsx';
import { PageDialogs } from './pages/page-dialogs.tsx';
import { SignInPage } from './pages/sign-in-page.tsx';
import { usePageFocus } from './pages/use-page-focus.ts';
import { BackgroundTitle } from './turns/background-title.tsx';
import { ErrorBoundary } from './ui/error-boundary.tsx';

export function App() {
  const t = useTranslations('page');
  const [location] = useLocation();
  // All conversations are on one page, which goes from one to the other by itself.
  const page = conversationPage.addresses.test(location) ? pages.chat : location;
  usePageFocus(page);

  return (
    <InCommands>
      <SkipLink to="main">{t('skipToContent')}</SkipLink>
      {/* Another page is another chance. */}
      <ErrorBoundary key={page}>
        <Switch>
          <Route path={pages.demo} component={DemoPage} />
          <Route path={pages.chat} component={ChatPage} />
          <Route path={conversationPage.addresses} component={ChatPage} />
          <Route path={pages.signIn} component={SignInPage} />
          <Route path={pages.onboarding} component={OnboardingPage} />
          <Route component={NotFoundPage} />
        </Switch>
      </ErrorBoundary>
      <PageDialogs />
      <BackgroundTitle />
    </InCommands>
  );
}
