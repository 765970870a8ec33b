import { deviceKeys } from '../device/device-storage.ts';
import { deleteIndexedStore } from '../device/indexed-store.ts';
import { createTabChannel } from '../device/tab-channel.ts';

/** Removes the database of a person's conversations, and tells the other tabs so: they let go of it. */
export function forgetConversations(userId: string): void {
  const name = deviceKeys.conversations(userId);
  const channel = createTabChannel(name);
  channel.post({ type: 'forgotten' });
  channel.close();
  deleteIndexedStore(name).catch(() => {
    // The browser denies databases: there is none.
  });
}
