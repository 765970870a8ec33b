import './no-eval.ts';
import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { deviceKeys, deviceStorage } from './device/device-storage.ts';
import { InLanguage } from './language/in-language.tsx';
import { openInterfaceLanguage } from './language/interface-language.ts';
import { loadMarkdown } from './markdown/load-markdown.ts';
import { openChannel } from './pages/device.ts';
import { namedBy } from './pages/use-address-sync.ts';
import { createQueryClient, followSignIn } from './session/query-client.ts';
import { InSettings } from './settings/in-settings.tsx';
import { createSettings } from './settings/settings.ts';

const container = document.getElementById('root');
if (container === null) throw new Error('index.html has no element with the id "root".');

// Live chat waits for it where the device keeps a conversation: it is fetched beside the language and the session.
if (namedBy(window.location.pathname) !== undefined) loadMarkdown();

const storage = deviceStorage('localStorage');
const queryClient = createQueryClient();
followSignIn(queryClient, openChannel(deviceKeys.signedIn));
const choice = await openInterfaceLanguage(storage, navigator.languages);

createRoot(container).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <InLanguage choice={choice}>
        <InSettings store={createSettings(storage)}>
          <App />
        </InSettings>
      </InLanguage>
    </QueryClientProvider>
  </StrictMode>,
);
