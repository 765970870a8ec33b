/** The languages of the interface, each by its own name. The model answers in whatever language it is asked in. */
export const languages = {
  en: 'English',
  de: 'Deutsch',
  fr: 'Français',
  es: 'Español',
  ja: '日本語',
  ar: 'العربية',
} as const;

export type Language = keyof typeof languages;

/** Whether `tag` is one of ours. */
export function isLanguage(tag: string): tag is Language {
  return Object.hasOwn(languages, tag);
}

/** Which way the interface is written. */
export function directionOf(language: Language): 'ltr' | 'rtl' {
  return language === 'ar' ? 'rtl' : 'ltr';
}

/**
 * The language of the interface and the locale of its dates and numbers, for somebody who reads `preferred`, the best first
 * (`navigator.languages`). `chosen` is the language that they set, if they did.
 */
export function chooseLanguage(
  preferred: readonly string[],
  chosen?: Language,
): { language: Language; locale: string } {
  const language = chosen ?? preferred.map(baseOf).find(isLanguage) ?? 'en';
  // Somebody who reads de-CH writes numbers in the Swiss way, in German at least.
  return { language, locale: preferred.find((tag) => baseOf(tag) === language) ?? language };
}

function baseOf(tag: string): string {
  return tag.toLowerCase().split('-', 1)[0] ?? '';
}
