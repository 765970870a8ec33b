import { useTranslations } from 'use-intl/react';
import { canStoreData } from '../device/device-storage.ts';

/** Returns a function that writes a sentence to append: what this device stores. Empty if the browser denies storage. */
export function usePersistenceHint() {
  const t = useTranslations('persistenceHint');
  return (key: Parameters<typeof t>[0]) => (canStoreData() ? ` ${t(key)}` : '');
}
