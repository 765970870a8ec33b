type LanguageInfo = { name: string; direction: 'ltr' | 'rtl' };

/** The interface languages, by their own names. The model replies in the language of the question. */
export const languages = {
  en: { name: 'English', direction: 'ltr' },
  de: { name: 'Deutsch', direction: 'ltr' },
  fr: { name: 'Français', direction: 'ltr' },
  es: { name: 'Español', direction: 'ltr' },
  ja: { name: '日本語', direction: 'ltr' },
  ar: { name: 'العربية', direction: 'rtl' },
} as const satisfies Record<string, LanguageInfo>;

export type Language = keyof typeof languages;

export const languageTags = Object.keys(languages).filter(isLanguage);

export function isLanguage(tag: string): tag is Language {
  return Object.hasOwn(languages, tag);
}

/** `preferred` are the user's languages, the best first (`navigator.languages`); `chosen` is their explicit choice. */
export function chooseLanguage(
  preferred: readonly string[],
  chosen?: Language,
): { language: Language; locale: string } {
  const language = chosen ?? preferred.map(baseOf).find(isLanguage) ?? 'en';
  // With de-CH among the preferences, German is shown with Swiss number formats.
  return { language, locale: preferred.find((tag) => baseOf(tag) === language) ?? language };
}

function baseOf(tag: string): string {
  return tag.toLowerCase().split('-', 1)[0] ?? '';
}
