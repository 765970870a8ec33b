import { Route, Switch } from 'wouter';
import { pages } from '../shared/interface.ts';
import { ChatPage } from './pages/chat-page.tsx';
import { DemoPage } from './pages/demo-page.tsx';
import { NotFoundPage } from './pages/not-found-page.tsx';
import { OnboardingPage } from './pages/onboarding-page.tsx';
import { SignInPage } from './pages/sign-in-page.tsx';

export function App() {
  return (
    <Switch>
      <Route path={pages.demo} component={DemoPage} />
      <Route path={pages.chat} component={ChatPage} />
      <Route path={pages.signIn} component={SignInPage} />
      <Route path={pages.onboarding} component={OnboardingPage} />
      <Route component={NotFoundPage} />
    </Switch>
  );
}
