import { createContext, type ReactNode, useContext, useEffect, useLayoutEffect, useSyncExternalStore } from 'react';
import { type Settings, type SettingsStore, settingsKey } from './settings.ts';
import { showTheme } from './show-theme.ts';

const Store = createContext<SettingsStore | undefined>(undefined);

/** Shows its content, and the page around it, as it is set on this device. */
export function InSettings({ store, children }: { store: SettingsStore; children: ReactNode }) {
  const { theme, textSize } = useSyncExternalStore(store.subscribe, store.getState);

  useLayoutEffect(() => showTheme(document, theme), [theme]);

  useLayoutEffect(() => {
    document.documentElement.dataset.textSize = textSize;
  }, [textSize]);

  useEffect(() => {
    const takeIn = ({ key }: StorageEvent) => {
      if (key === settingsKey || key === null) store.takeIn();
    };
    window.addEventListener('storage', takeIn);
    return () => window.removeEventListener('storage', takeIn);
  }, [store]);

  return <Store value={store}>{children}</Store>;
}

/** The settings of this device, and what changes them. */
export function useSettings(): { settings: Settings; change: SettingsStore['change'] } {
  const store = useContext(Store);
  if (store === undefined) throw new Error('There are no settings around this.');
  const settings = useSyncExternalStore(store.subscribe, store.getState);
  return { settings, change: store.change };
}
