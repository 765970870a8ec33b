import { isLanguage, type Language } from './languages.ts';
import { messages as english } from './messages/en.ts';
import type { Messages } from './messages/shape.ts';

type Fetches = Partial<Record<Language, () => Promise<{ messages: Messages }>>>;

/** Each but English is a chunk of its own, fetched by those who read it. */
const others: Fetches = {
  de: () => import('./messages/de.ts'),
  fr: () => import('./messages/fr.ts'),
  es: () => import('./messages/es.ts'),
  ja: () => import('./messages/ja.ts'),
  ar: () => import('./messages/ar.ts'),
};

/** What the interface says in `language`. In English where that cannot be fetched: after an update of the service, say. */
export async function loadMessages(language: Language, fetches = others): Promise<typeof english> {
  const load = fetches[language];
  if (load === undefined) return english;
  try {
    const { messages } = await load();
    return Object.assign({}, english, messages);
  } catch {
    return english;
  }
}

/** The languages that there are messages in. */
export function availableLanguages(): Language[] {
  return ['en', ...Object.keys(others).filter(isLanguage)];
}
