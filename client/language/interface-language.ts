import { createStore } from '../chat/store.ts';
import { chooseLanguage, isLanguage, type Language } from './languages.ts';
import { messages as english } from './messages/en.ts';
import type { Messages } from './messages/shape.ts';

export type InterfaceLanguage = {
  language: Language;
  /** Of dates and numbers: the person's own variant of the language where they have one. */
  locale: string;
  messages: Awaited<ReturnType<typeof loadMessages>>;
  /** What the person set; undefined where the browser's languages decide. */
  chosen: Language | undefined;
};

/** Where the person's choice is kept: `localStorage`, or anything alike. */
type ChoiceStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

const choiceKey = 'advisory-chat:language';

/** Opens the language of the interface: the one that the person set on this device, else the first of `preferred` that we have. */
export async function openInterfaceLanguage(storage: ChoiceStorage, preferred: readonly string[]) {
  const kept = storage.getItem(choiceKey) ?? '';
  const { getState, subscribe, update } = createStore(await open(isLanguage(kept) ? kept : undefined));

  async function open(chosen: Language | undefined): Promise<InterfaceLanguage> {
    const { language, locale } = chooseLanguage(preferred, chosen);
    return { language, locale, messages: await loadMessages(language), chosen };
  }

  return {
    getState,
    subscribe,

    /** Goes over to `chosen`, or with `undefined` to what the browser prefers. */
    async choose(chosen: Language | undefined): Promise<void> {
      try {
        if (chosen === undefined) storage.removeItem(choiceKey);
        else storage.setItem(choiceKey, chosen);
      } catch {
        // Full: it holds for as long as the page is open.
      }
      update(await open(chosen));
    },
  };
}

/** Each but English is a chunk of its own, fetched by those who read it. A language without its words does not compile. */
const others: Record<Exclude<Language, 'en'>, () => Promise<{ messages: Messages }>> = {
  de: () => import('./messages/de.ts'),
  fr: () => import('./messages/fr.ts'),
  es: () => import('./messages/es.ts'),
  ja: () => import('./messages/ja.ts'),
  ar: () => import('./messages/ar.ts'),
};

/** What the interface says in `language`. In English where that cannot be fetched: after an update of the service, say. */
export async function loadMessages(
  language: Language,
  fetches: Partial<typeof others> = others,
): Promise<typeof english> {
  const load = language === 'en' ? undefined : fetches[language];
  if (load === undefined) return english;
  try {
    const { messages } = await load();
    return Object.assign({}, english, messages);
  } catch {
    return english;
  }
}
