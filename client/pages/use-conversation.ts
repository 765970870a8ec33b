import { useCallback, useState, useSyncExternalStore } from 'react';
import { createConversation } from '../chat/conversation.ts';
import { createKeptWait } from '../chat/kept-wait.ts';
import { createTranscript } from '../chat/transcript.ts';
import { deviceStorage } from '../device-storage.ts';
import { useTurn } from '../turns/use-turn.ts';
import { pageClock } from './page-clock.ts';
import { turnLock } from './turn-lock.ts';
import { usePageLife } from './use-page-life.ts';

/** The one conversation with `url` that this device keeps under `storageKey`, its state, and the ways to ask in it. */
export function useConversation(url: string, storageKey: string) {
  const [conversation] = useState(() =>
    createConversation({
      url,
      transcript: createTranscript(deviceStorage('localStorage'), storageKey),
      keptWait: createKeptWait(deviceStorage('localStorage'), `${storageKey}:blocked-until`, pageClock),
      fetch: (...request) => fetch(...request),
      clock: pageClock,
      createRequestId: () => crypto.randomUUID(),
      lock: turnLock(storageKey),
    }),
  );
  const state = useSyncExternalStore(conversation.subscribe, conversation.getState);

  const takeIn = useCallback(
    (key: string) => {
      if (key === storageKey) conversation.takeIn();
    },
    [conversation, storageKey],
  );
  usePageLife({
    onLeave: conversation.leave,
    onHide: conversation.keep,
    onShow: conversation.settle,
    onChangeElsewhere: takeIn,
  });

  return { conversation, state, turn: useTurn(storageKey, conversation) };
}
