import { createContext, type ReactNode, useContext, useLayoutEffect, useSyncExternalStore } from 'react';
import { useCoarsePointer } from '../browser/use-media.ts';
import { useWindowEvent } from '../browser/use-window-event.ts';
import { type EnterMeaning, enterMeaning, type Settings, type SettingsStore, settingsKey } from './settings.ts';

const SettingsContext = createContext<SettingsStore | undefined>(undefined);

export function SettingsProvider({ store, children }: { store: SettingsStore; children: ReactNode }) {
  const { theme } = useSyncExternalStore(store.subscribe, store.getState);

  useLayoutEffect(() => applyTheme(document, theme), [theme]);

  useWindowEvent('storage', ({ key }) => {
    if (key === settingsKey || key === null) store.reload();
  });

  return <SettingsContext value={store}>{children}</SettingsContext>;
}

export function useSettings(): { settings: Settings; change: SettingsStore['change'] } {
  const store = useContext(SettingsContext);
  if (store === undefined) throw new Error('useSettings requires a SettingsProvider');
  const settings = useSyncExternalStore(store.subscribe, store.getState);
  return { settings, change: store.change };
}

/** Also sets the `theme-color` of the browser's toolbar. */
function applyTheme(page: Document, theme: Settings['theme']): void {
  page.documentElement.dataset.theme = theme;
  for (const meta of page.querySelectorAll<HTMLMetaElement>('meta[name="theme-color"]')) {
    const { scheme } = meta.dataset;
    if (theme === 'system') meta.media = `(prefers-color-scheme: ${scheme})`;
    else meta.media = scheme === theme ? 'all' : 'not all';
  }
}

export function useEnterMeaning(): EnterMeaning {
  const { settings } = useSettings();
  return enterMeaning(settings.enter, useCoarsePointer());
}
