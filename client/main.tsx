import './no-eval.ts';
import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { pages } from '../shared/interface.ts';
import { App } from './app.tsx';
import { deviceKeys, deviceStorage } from './device/device-storage.ts';
import { createTabChannel } from './device/tab-channel.ts';
import { InLanguage } from './language/in-language.tsx';
import { openInterfaceLanguage } from './language/interface-language.ts';
import { loadMarkdown } from './markdown/load-markdown.ts';
import { pageAt, prefetchPage } from './pages/late-pages.tsx';
import { storeLastSession } from './session/last-session.ts';
import { createQueryClient, followSignIn } from './session/query-client.ts';
import { SettingsProvider } from './settings/settings-provider.tsx';
import { createSettings } from './settings/settings.ts';

const container = document.getElementById('root');
if (container === null) throw new Error('index.html has no element with the id "root".');

// Fetched beside the language and the session; live chat waits for Markdown where the device keeps a conversation.
const page = pageAt(window.location.pathname);
prefetchPage(page);
if (page === pages.chat) loadMarkdown();

const storage = deviceStorage('localStorage');
const queryClient = createQueryClient();
followSignIn(queryClient, createTabChannel(deviceKeys.signedIn));
storeLastSession(queryClient, storage);
const choice = await openInterfaceLanguage(storage, navigator.languages);

createRoot(container).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <InLanguage choice={choice}>
        <SettingsProvider store={createSettings(storage)}>
          <App />
        </SettingsProvider>
      </InLanguage>
    </QueryClientProvider>
  </StrictMode>,
);
