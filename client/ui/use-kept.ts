import { useTranslations } from 'use-intl/react';
import { canStoreData } from '../device/device-storage.ts';

/** Says what is kept, behind another sentence; nothing where the browser lets the page keep nothing. */
export function useKept() {
  const t = useTranslations('kept');
  return (what: Parameters<typeof t>[0]) => (canStoreData() ? ` ${t(what)}` : '');
}
