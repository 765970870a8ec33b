import { routes } from '../../shared/interface.ts';
import { adoptKept, hasKeptBefore } from '../chat/adopt-kept.ts';
import { createConversation } from '../chat/conversation.ts';
import { createConversationList } from '../chat/conversation-list.ts';
import type { ConversationList } from '../chat/conversations.ts';
import { createDesk, type Desk } from '../chat/desk.ts';
import { createKeptTyped } from '../chat/kept-typed.ts';
import { createKeptWait } from '../chat/kept-wait.ts';
import type { TranscriptStorage } from '../chat/transcript.ts';
import { deviceKeys, deviceStorage } from '../device-storage.ts';
import { exclusively, openChannel, openStore, roomOnDevice } from './device.ts';
import { pageClock } from './page-clock.ts';
import { turnLock } from './turn-lock.ts';

export type OpenDesk = { desk: Desk; list: ConversationList };

const demoId = 'demo';

/** The live conversations of the person with `userId` on this device; first the one that the address names, if it does. */
export function openLiveDesk(userId: string, addressedId?: string): OpenDesk {
  const prefix = deviceKeys.conversations(userId);
  const tabStorage = deviceStorage('sessionStorage');
  return openDesk({
    url: routes.liveChat,
    prefix,
    createId,
    tabStorage,
    openKey: deviceKeys.openConversation(userId),
    addressedId,
  });
}

/** The one conversation with the demo on this device. */
export function openDemoDesk(): OpenDesk {
  const forgetful = { getItem: () => null, setItem() {}, removeItem() {} };
  return openDesk({
    url: routes.demoChat,
    prefix: deviceKeys.demo,
    createId: () => demoId,
    tabStorage: forgetful,
    openKey: '',
  });
}

type OpenDeskParts = {
  url: string;
  /** Names the database, and begins the keys in the device's storage. */
  prefix: string;
  createId: () => string;
  tabStorage: TranscriptStorage;
  openKey: string;
  addressedId?: string | undefined;
};

function openDesk({ url, prefix, createId, tabStorage, openKey, addressedId }: OpenDeskParts): OpenDesk {
  const lock = turnLock(prefix);
  const keptWait = createKeptWait(deviceStorage('localStorage'), `${prefix}:blocked-until`, pageClock);
  const list = openList(prefix, createId);
  const desk = createDesk({
    list,
    tabStorage,
    openKey,
    addressedId,
    createId,
    createConversation: (transcript) =>
      createConversation({
        url,
        transcript,
        keptWait,
        fetch: (...request) => fetch(...request),
        clock: pageClock,
        createRequestId: () => crypto.randomUUID(),
        lock,
      }),
  });
  return { desk, list };
}

function openList(prefix: string, createSoleId: () => string): ConversationList {
  const storage = deviceStorage('localStorage');
  const typed = createKeptTyped(storage, prefix);
  return createConversationList({
    store: openStore(prefix),
    storage,
    prefix,
    clock: pageClock,
    openChannel: () => openChannel(prefix),
    room: roomOnDevice(),
    exclusively: (action) => exclusively(`${prefix}:start`, action),
    pageId: crypto.randomUUID(),
    async adopt(store) {
      if (!hasKeptBefore(storage, prefix)) return;
      await adoptKept({ storage, prefix, store, typed, createSoleId, now: pageClock.now() });
    },
  });
}

function createId(): string {
  return crypto.randomUUID();
}
