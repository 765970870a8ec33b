import { createContext, type ReactNode, useContext, useLayoutEffect, useSyncExternalStore } from 'react';
import { IntlProvider } from 'use-intl/react';
import type { openInterfaceLanguage } from './interface-language.ts';
import { languages } from './languages.ts';

type LanguageStore = Awaited<ReturnType<typeof openInterfaceLanguage>>;

const LanguageContext = createContext<LanguageStore | undefined>(undefined);

export function LanguageProvider({ store, children }: { store: LanguageStore; children: ReactNode }) {
  const { language, locale, messages } = useSyncExternalStore(store.subscribe, store.getState);
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();

  useLayoutEffect(() => {
    const { documentElement } = document;
    documentElement.lang = locale;
    documentElement.dir = languages[language].direction;
  }, [language, locale]);

  return (
    <LanguageContext value={store}>
      <IntlProvider locale={locale} messages={messages} timeZone={timeZone}>
        {children}
      </IntlProvider>
    </LanguageContext>
  );
}

export function useLanguageStore(): LanguageStore {
  const store = useContext(LanguageContext);
  if (store === undefined) throw new Error('useLanguageStore must be used within a LanguageProvider.');
  return store;
}
