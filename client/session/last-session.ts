import type { QueryClient } from '@tanstack/react-query';
import { type Session, sessionSchema } from '../../shared/session.ts';
import { deviceKeys, deviceStorage } from '../device/device-storage.ts';
import { parseJson } from '../parse-json.ts';
import { writeItem } from '../write-item.ts';
import { sessionQuery } from './session.ts';

/** Stores the session so that conversations can be read offline. */
export function storeLastSession(queryClient: QueryClient): void {
  const storage = deviceStorage('localStorage');
  const queries = queryClient.getQueryCache();
  queries.subscribe((event) => {
    if (event.type !== 'updated' || event.action.type !== 'success' || event.query !== queries.find(sessionQuery))
      return;
    const session = queryClient.getQueryData(sessionQuery.queryKey);
    if (!session?.user) return deleteLastSession();
    storage.removeItem(deviceKeys.retainedConversations(session.user.id));
    // If the storage is full, live chat is not available offline.
    writeItem(storage, deviceKeys.session, JSON.stringify(session));
  });
}

export function lastSession(): Session | undefined {
  return sessionSchema.safeParse(parseJson(deviceStorage('localStorage').getItem(deviceKeys.session))).data;
}

export function deleteLastSession(): void {
  deviceStorage('localStorage').removeItem(deviceKeys.session);
}
