import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useState, useSyncExternalStore } from 'react';
import { routes } from '../../shared/interface.ts';
import { adoptTranscript } from '../chat/adopt-transcript.ts';
import { createConversation } from '../chat/conversation.ts';
import { createConversationList } from '../chat/conversation-list.ts';
import { createDesk } from '../chat/desk.ts';
import { createKeptWait } from '../chat/kept-wait.ts';
import { deviceKeys, deviceStorage } from '../device-storage.ts';
import { sessionQuery } from '../session/session.ts';
import { pageClock } from './page-clock.ts';
import { turnLock } from './turn-lock.ts';
import { usePageLife } from './use-page-life.ts';

/**
 * The live conversations of the person with `userId` on this device.
 * They belong to one person for as long as the component lives: give it a `key` where the person can change.
 */
export function useDesk(userId: string) {
  const queryClient = useQueryClient();
  const [{ desk, list }] = useState(() => openDesk(userId));
  const state = useSyncExternalStore(desk.subscribe, desk.getState);

  const takeIn = useCallback(
    (key: string, wasRemoved: boolean) => {
      if (key !== list.indexKey || !wasRemoved) return desk.takeIn(key);
      // The index goes only with the person, who has signed out in another tab.
      desk.clear();
      queryClient.invalidateQueries(sessionQuery);
    },
    [desk, list, queryClient],
  );
  usePageLife({ onLeave: desk.leave, onHide: desk.keep, onShow: desk.settle, onChangeElsewhere: takeIn });

  return { desk, list, state };
}

function openDesk(userId: string) {
  const storage = deviceStorage('localStorage');
  const prefix = deviceKeys.conversations(userId);
  const createId = () => crypto.randomUUID();
  const list = createConversationList(storage, prefix, pageClock);
  adoptTranscript(storage, prefix, list, createId());
  const lock = turnLock(prefix);
  const keptWait = createKeptWait(storage, deviceKeys.blockedUntil(userId), pageClock);
  const desk = createDesk({
    list,
    tabStorage: deviceStorage('sessionStorage'),
    openKey: deviceKeys.openConversation(userId),
    createId,
    createConversation: (transcript) =>
      createConversation({
        url: routes.liveChat,
        transcript,
        keptWait,
        fetch: (...request) => fetch(...request),
        clock: pageClock,
        createRequestId: createId,
        lock,
      }),
  });
  return { desk, list };
}
