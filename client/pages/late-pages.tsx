import { type ComponentType, useEffect, useState } from 'react';
import { conversationPage, pages } from '../../shared/interface.ts';
import { PageFailed } from '../ui/error-boundary.tsx';
import { Header } from '../ui/header.tsx';

/** Most people look at the demo first. The other pages are files of their own. */
const loaders: Partial<Record<string, () => Promise<ComponentType>>> = {
  [pages.chat]: async () => (await import('./chat-page.tsx')).ChatPage,
  [pages.signIn]: async () => (await import('./sign-in-page.tsx')).SignInPage,
  [pages.onboarding]: async () => (await import('./onboarding-page.tsx')).OnboardingPage,
};

const loaded = new Map<string, ComponentType>();

/** The page at `path`. All conversations are on one, which goes from one to the other by itself. */
export function pageAt(path: string): string {
  return conversationPage.addresses.test(path) ? pages.chat : path;
}

async function loadPage(page: string): Promise<void> {
  const Page = await loaders[page]?.();
  if (Page) loaded.set(page, Page);
}

/** Fetches `page` before it is shown. After a failure it is fetched again when it is shown. */
export function prefetchPage(page: string): void {
  loadPage(page).catch(() => undefined);
}

/** Fetches all pages before they are shown. */
export function prefetchPages(): void {
  Object.keys(loaders).forEach(prefetchPage);
}

/** The page `page`, or only the header while it loads. Suspense would hold back for 0.3 s what is there at once. */
export function LatePage({ page }: { page: string }) {
  const [Page, setPage] = useState(() => loaded.get(page));
  const [hasFailed, setHasFailed] = useState(false);

  useEffect(() => {
    loadPage(page).then(
      () => setPage(() => loaded.get(page)),
      () => setHasFailed(true),
    );
  }, [page]);

  if (Page !== undefined) return <Page />;
  return (
    <>
      <Header />
      {hasFailed && <PageFailed />}
    </>
  );
}
