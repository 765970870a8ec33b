import type { QueryClient } from '@tanstack/react-query';
import { type Session, sessionSchema } from '../../shared/session.ts';
import { deviceKeys, deviceStorage } from '../device/device-storage.ts';
import { parseJson } from '../parse-json.ts';
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
    storage.removeItem(deviceKeys.signedOut);
    try {
      storage.setItem(deviceKeys.session, JSON.stringify(session));
    } catch {
      // Storage is full: live chat is not available offline.
    }
  });
}

export function lastSession(): Session | undefined {
  return sessionSchema.safeParse(parseJson(deviceStorage('localStorage').getItem(deviceKeys.session))).data;
}

/** Returns whether the last session on this device ended by a sign-out, after which the user may want another account. */
export function isSignedOut(): boolean {
  return deviceStorage('localStorage').getItem(deviceKeys.signedOut) !== null;
}

export function markSignedOut(): void {
  try {
    deviceStorage('localStorage').setItem(deviceKeys.signedOut, '');
  } catch {
    // Storage is full: the provider does not ask for the account.
  }
}

export function deleteLastSession(): void {
  deviceStorage('localStorage').removeItem(deviceKeys.session);
}
