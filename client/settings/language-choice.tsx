import { useId, useSyncExternalStore } from 'react';
import { useTranslations } from 'use-intl/react';
import { useLanguageChoice } from '../language/in-language.tsx';
import { chooseLanguage, isLanguage, languages } from '../language/languages.ts';
import { availableLanguages } from '../language/messages.ts';

/** The language of the interface, each by its own name. */
export function LanguageChoice() {
  const say = useTranslations('settings');
  const choice = useLanguageChoice();
  const { chosen } = useSyncExternalStore(choice.subscribe, choice.getState);
  const id = useId();
  const preferred = languages[chooseLanguage(navigator.languages).language];
  return (
    <div className="choice">
      <label htmlFor={id}>{say('language')}</label>
      <select
        id={id}
        aria-describedby={`${id}hint`}
        value={chosen ?? ''}
        onChange={({ target }) => choice.choose(isLanguage(target.value) ? target.value : undefined)}
      >
        <option value="">{say('languageAuto', { language: preferred })}</option>
        {availableLanguages().map((language) => (
          <option key={language} value={language} lang={language}>
            {languages[language]}
          </option>
        ))}
      </select>
      <p id={`${id}hint`} className="hint">
        {say('languageHint')}
      </p>
    </div>
  );
}
