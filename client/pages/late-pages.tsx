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

/** Fetches `wanted` before somebody goes there. What cannot be fetched now is asked for again then. */
export function prefetchPages(wanted: readonly string[] = Object.keys(loaders)): void {
  for (const page of wanted) loadPage(page).catch(() => undefined);
}

/**
 * The page `page`; the header alone until it is there. Suspense would hold back for a third of a second what comes at once.
 */
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
