import { createStore } from '../store.ts';
import { writeItem } from '../write-item.ts';
import { chooseLanguage, isLanguage, type Language } from './languages.ts';
import { messages as english } from './messages/en-first.ts';
import type { Messages } from './messages/shape.ts';

type InterfaceLanguage = {
  language: Language;
  /** The locale for dates and numbers: the user's own variant of the language, if they have one. */
  locale: string;
  messages: Awaited<ReturnType<typeof loadMessages>>;
  /** The user's choice; undefined if the browser's languages decide. */
  chosen: Language | undefined;
};

type ChoiceStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

const choiceKey = 'advisory-chat:language';

/** Loads the interface language: the one chosen on this device, or else the first supported one of `preferred`. */
export async function openInterfaceLanguage(storage: ChoiceStorage, preferred: readonly string[]) {
  const stored = storage.getItem(choiceKey) ?? '';
  const { getState, subscribe, update } = createStore(await open(isLanguage(stored) ? stored : undefined));
  let latestChoice = getState().chosen;

  async function open(chosen: Language | undefined): Promise<InterfaceLanguage> {
    const { language, locale } = chooseLanguage(preferred, chosen);
    return { language, locale, messages: await loadMessages(language), chosen };
  }

  return {
    getState,
    subscribe,

    async choose(chosen: Language | undefined): Promise<void> {
      // If the storage is full, the choice lasts until the page is closed.
      writeItem(storage, choiceKey, chosen ?? null);
      latestChoice = chosen;
      const opened = await open(chosen);
      if (latestChoice === chosen) update(opened);
    },
  };
}

/** Each language but English is a separate chunk; see `en.ts` for English. A missing language does not compile. */
const loaders: Record<Exclude<Language, 'en'>, () => Promise<{ messages: Messages }>> = {
  de: () => import('./messages/de.ts'),
  fr: () => import('./messages/fr.ts'),
  es: () => import('./messages/es.ts'),
  ja: () => import('./messages/ja.ts'),
  ar: () => import('./messages/ar.ts'),
};

/** Returns the messages in `language`; English if they cannot be loaded, for example after a deployment. */
export async function loadMessages(
  language: Language,
  fetches: Partial<typeof loaders> = loaders,
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
