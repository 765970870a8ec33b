import { createContext, type ReactNode, useContext, useLayoutEffect, useSyncExternalStore } from 'react';
import { useWindowEvent } from '../controls/use-window-event.ts';
import { type EnterMeaning, enterMeaning } from './enter-meaning.ts';
import { type Settings, type SettingsStore, settingsKey } from './settings.ts';
import { useCoarsePointer } from './use-coarse-pointer.ts';

const Store = createContext<SettingsStore | undefined>(undefined);

/** Shows its content, and the page around it, as it is set on this device. */
export function SettingsProvider({ store, children }: { store: SettingsStore; children: ReactNode }) {
  const { theme, textSize } = useSyncExternalStore(store.subscribe, store.getState);

  useLayoutEffect(() => showTheme(document, theme), [theme]);

  useLayoutEffect(() => {
    document.documentElement.dataset.textSize = textSize;
  }, [textSize]);

  useWindowEvent('storage', ({ key }) => {
    if (key === settingsKey || key === null) store.reload();
  });

  return <Store value={store}>{children}</Store>;
}

/** The settings of this device, and what changes them. */
export function useSettings(): { settings: Settings; change: SettingsStore['change'] } {
  const store = useContext(Store);
  if (store === undefined) throw new Error('There are no settings around this.');
  const settings = useSyncExternalStore(store.subscribe, store.getState);
  return { settings, change: store.change };
}

/** Draws the page in `theme`, and lets the browser draw its own part around the page alike. */
function showTheme(page: Document, theme: Settings['theme']): void {
  page.documentElement.dataset.theme = theme;
  for (const meta of page.querySelectorAll<HTMLMetaElement>('meta[name="theme-color"]')) {
    const { scheme } = meta.dataset;
    if (theme === 'system') meta.media = `(prefers-color-scheme: ${scheme})`;
    else meta.media = scheme === theme ? 'all' : 'not all';
  }
}

/** What Enter does in the message field on this device, as it is set. */
export function useEnterMeaning(): EnterMeaning {
  const { settings } = useSettings();
  return enterMeaning(settings.enter, useCoarsePointer());
}
