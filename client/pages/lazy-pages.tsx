import { type ComponentType, useEffect, useState } from 'react';
import { conversationPage, pages } from '../../shared/interface.ts';
import { PageFailure } from '../ui/page/error-boundary.tsx';
import { Header } from '../ui/page/header.tsx';

/** Each of these pages is a chunk that is loaded on demand. The demo is in the main chunk, because it is most visitors' first page. */
const loaders: Partial<Record<string, () => Promise<ComponentType>>> = {
  [pages.chat]: async () => (await import('./live-chat/chat-page.tsx')).ChatPage,
  [pages.signIn]: async () => (await import('./sign-in-page.tsx')).SignInPage,
  [pages.onboarding]: async () => (await import('./onboarding-page.tsx')).OnboardingPage,
};

const loadedPages = new Map<string, ComponentType>();

/** Returns the key of the page in `loaders`. All conversations share the chat page. */
export function pageAt(path: string): string {
  return conversationPage.pattern.test(path) ? pages.chat : path;
}

async function loadPage(page: string): Promise<void> {
  const Page = await loaders[page]?.();
  if (Page) loadedPages.set(page, Page);
}

/** A failed prefetch is repeated when the page is shown. */
export function prefetchPage(page: string): void {
  loadPage(page).catch(() => undefined);
}

export function prefetchPages(): void {
  Object.keys(loaders).forEach(prefetchPage);
}

/** Shows the header while the page loads. `Suspense` would delay a page that is already loaded by 0.3 s. */
export function LazyPage({ page }: { page: string }) {
  const [Page, setPage] = useState(() => loadedPages.get(page));
  const [hasFailed, setHasFailed] = useState(false);

  useEffect(() => {
    loadPage(page).then(
      () => setPage(() => loadedPages.get(page)),
      () => setHasFailed(true),
    );
  }, [page]);

  if (Page !== undefined) return <Page />;
  return (
    <>
      <Header />
      {hasFailed && <PageFailure />}
    </>
  );
}
