import { useEffect, useState, useSyncExternalStore } from 'react';
import { systemClock } from '../chat/clock.ts';
import { createConversation } from '../chat/conversation.ts';
import { createTranscript } from '../chat/transcript.ts';
import { deviceStorage } from '../device-storage.ts';

/**
 * The conversation with `url` that this device keeps under `storageKey`, and its state.
 * It belongs to one person for as long as the component lives: give the component a `key` where the person can change.
 */
export function useConversation(url: string, storageKey: string) {
  const [conversation] = useState(() =>
    createConversation({
      url,
      transcript: createTranscript(deviceStorage('localStorage'), storageKey),
      fetch: (...request) => fetch(...request),
      clock: systemClock,
      createRequestId: () => crypto.randomUUID(),
    }),
  );
  const state = useSyncExternalStore(conversation.subscribe, conversation.getState);

  useEffect(() => {
    const clearWithOtherTabs = ({ key, newValue }: StorageEvent) => {
      if (key === storageKey && newValue === null) conversation.clear();
    };
    window.addEventListener('pagehide', conversation.leave);
    window.addEventListener('storage', clearWithOtherTabs);
    return () => {
      window.removeEventListener('pagehide', conversation.leave);
      window.removeEventListener('storage', clearWithOtherTabs);
      conversation.leave();
    };
  }, [conversation, storageKey]);

  return { conversation, state };
}
