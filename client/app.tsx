import { useEffect, useRef } from 'react';
import { useTranslations } from 'use-intl/react';
import { Route, Switch, useLocation } from 'wouter';
import { pages } from '../shared/interface.ts';
import { CommandsProvider } from './commands/commands-provider.tsx';
import { SkipLink } from './controls/skip-link.tsx';
import { DemoPage } from './pages/demo-chat/demo-page.tsx';
import { LazyPage, pageAt, prefetchPages } from './pages/lazy-pages.tsx';
import { NotFoundPage } from './pages/not-found-page.tsx';
import { PageDialogs } from './pages/page-dialogs.tsx';
import { registerServiceWorker } from './pages/service-worker.ts';
import { whenIdleAfterLoad } from './rendering/when-idle.ts';
import { ErrorBoundary } from './ui/page/error-boundary.tsx';

export function App() {
  const t = useTranslations('page');
  const [location] = useLocation();
  const page = pageAt(location);
  usePageFocus(page);
  useEffect(
    () =>
      whenIdleAfterLoad(() => {
        prefetchPages();
        void registerServiceWorker();
      }),
    [],
  );

  return (
    <CommandsProvider>
      <SkipLink to="main">{t('skipToContent')}</SkipLink>
      {/* The key resets the boundary for each page. */}
      <ErrorBoundary key={page}>
        <Switch location={page}>
          <Route path={pages.demo} component={DemoPage} />
          <Route path={pages.chat}>
            <LazyPage page={pages.chat} />
          </Route>
          <Route path={pages.signIn}>
            <LazyPage page={pages.signIn} />
          </Route>
          <Route path={pages.onboarding}>
            <LazyPage page={pages.onboarding} />
          </Route>
          <Route component={NotFoundPage} />
        </Switch>
      </ErrorBoundary>
      <PageDialogs />
    </CommandsProvider>
  );
}

/**
 * Moves the focus to the new page's heading, as loading a page would: otherwise the focus is lost with the link, and a screen
 * reader stays silent. The first page is left to the browser.
 */
function usePageFocus(location: string): void {
  const lastLocation = useRef(location);
  useEffect(() => {
    if (lastLocation.current === location) return;
    lastLocation.current = location;
    if (focusHeading()) return;
    // The heading appears once the page has loaded its data.
    const arrival = new MutationObserver(() => {
      if (focusHeading()) arrival.disconnect();
    });
    arrival.observe(document.body, { childList: true, subtree: true });
    return () => arrival.disconnect();
  }, [location]);
}

function focusHeading(): boolean {
  const heading = document.querySelector<HTMLElement>('main h1');
  if (heading === null) return false;
  heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
  return true;
}
