import './no-eval.ts';
import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { pages } from '../shared/interface.ts';
import { App } from './app.tsx';
import { hideCompositionKeys } from './browser/composition-keys.ts';
import { restrictDrops } from './browser/drops.ts';
import { ignoreMisplacedClicks } from './browser/misplaced-clicks.ts';
import { tolerateMovedNodes } from './browser/moved-nodes.ts';
import { deviceKeys, deviceStorage } from './device/device-storage.ts';
import { createTabChannel } from './device/tab-channel.ts';
import { openInterfaceLanguage } from './language/interface-language.ts';
import { LanguageProvider } from './language/language-provider.tsx';
import { loadMarkdown } from './markdown/load-markdown.ts';
import { pageAt, prefetchPage } from './pages/lazy-pages.tsx';
import { retryStyleSheets } from './pages/retry-style-sheets.ts';
import { storeLastSession } from './session/last-session.ts';
import { createQueryClient, syncSignIn } from './session/query-client.ts';
import { createSettingsStore } from './settings/settings.ts';
import { SettingsProvider } from './settings/settings-provider.tsx';

const container = document.getElementById('root');
// A script of index.html removes the id if the browser lacks a feature that the page needs, and shows a notice.
if (container !== null) {
  retryStyleSheets();
  tolerateMovedNodes();
  ignoreMisplacedClicks();
  hideCompositionKeys();
  restrictDrops();

  const page = pageAt(window.location.pathname);
  prefetchPage(page);
  // In parallel with the language and the session: live chat shows stored conversations only once the renderer is loaded.
  if (page === pages.chat) loadMarkdown();

  const storage = deviceStorage('localStorage');
  const queryClient = createQueryClient();
  syncSignIn(queryClient, createTabChannel(deviceKeys.signedIn));
  storeLastSession(queryClient);
  const languageStore = await openInterfaceLanguage(storage, navigator.languages);

  createRoot(container).render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <LanguageProvider store={languageStore}>
          <SettingsProvider store={createSettingsStore(storage)}>
            <App />
          </SettingsProvider>
        </LanguageProvider>
      </QueryClientProvider>
    </StrictMode>,
  );
}
