import { createContext, type ReactNode, useContext, useLayoutEffect, useSyncExternalStore } from 'react';
import { IntlProvider } from 'use-intl/react';
import type { openInterfaceLanguage } from './interface-language.ts';
import { languages } from './languages.ts';

type LanguageChoice = Awaited<ReturnType<typeof openInterfaceLanguage>>;

const ChoiceContext = createContext<LanguageChoice | undefined>(undefined);

export function LanguageProvider({ choice, children }: { choice: LanguageChoice; children: ReactNode }) {
  const { language, locale, messages } = useSyncExternalStore(choice.subscribe, choice.getState);
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();

  useLayoutEffect(() => {
    const { documentElement } = document;
    documentElement.lang = locale;
    documentElement.dir = languages[language].direction;
  }, [language, locale]);

  return (
    <ChoiceContext value={choice}>
      <IntlProvider locale={locale} messages={messages} timeZone={timeZone}>
        {children}
      </IntlProvider>
    </ChoiceContext>
  );
}

export function useLanguageChoice(): LanguageChoice {
  const choice = useContext(ChoiceContext);
  if (choice === undefined) throw new Error('useLanguageChoice must be used within a LanguageProvider.');
  return choice;
}
