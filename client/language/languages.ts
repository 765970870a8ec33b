type Written = { name: string; direction: 'ltr' | 'rtl' };

/**
 * The languages of the interface, each by its own name and with the way in which it is written. The model answers in whatever
 * language it is asked in.
 */
export const languages = {
  en: { name: 'English', direction: 'ltr' },
  de: { name: 'Deutsch', direction: 'ltr' },
  fr: { name: 'Français', direction: 'ltr' },
  es: { name: 'Español', direction: 'ltr' },
  ja: { name: '日本語', direction: 'ltr' },
  ar: { name: 'العربية', direction: 'rtl' },
} as const satisfies Record<string, Written>;

export type Language = keyof typeof languages;

/** Their tags, English first. */
export const languageTags = Object.keys(languages).filter(isLanguage);

/** Whether `tag` is one of ours. */
export function isLanguage(tag: string): tag is Language {
  return Object.hasOwn(languages, tag);
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
