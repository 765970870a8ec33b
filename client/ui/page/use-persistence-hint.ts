import { createContext, useContext } from 'react';
import { useTranslations } from 'use-intl/react';
import { canStoreData } from '../../device/device-storage.ts';

/** Whether the conversations of this page reach the device. */
export const IsPersistedContext = createContext(true);

/** The returned function returns a sentence about what this device stores, with a leading space, or an empty string. */
export function usePersistenceHint() {
  const t = useTranslations('persistenceHint');
  const isPersisted = useContext(IsPersistedContext) && canStoreData();
  return (key: Parameters<typeof t>[0]) => (isPersisted ? ` ${t(key)}` : '');
}
