import { routes } from '../../shared/interface.ts';
import { createConversation } from '../chat/conversation.ts';
import { createKeptPutAway, type KeptPutAway } from '../chat/kept-put-away.ts';
import { createKeptWait } from '../chat/kept-wait.ts';
import type { TranscriptStorage } from '../chat/transcript.ts';
import { createConversationList } from '../conversations/conversation-list.ts';
import type { ConversationList } from '../conversations/conversations.ts';
import { createDesk, type Desk } from '../conversations/desk.ts';
import type { ConversationStore } from '../device/conversation-store.ts';
import { deviceKeys, deviceStorage } from '../device/device-storage.ts';
import { hasKeptBefore } from '../device/kept-before.ts';
import { createKeptTyped } from '../device/kept-typed.ts';
import { loadMarkdown } from '../markdown/load-markdown.ts';
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
    waitKey: deviceKeys.blockedUntil(userId),
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
    waitKey: `${deviceKeys.demo}:blocked-until`,
    putAway: createKeptPutAway(deviceStorage('localStorage'), `${deviceKeys.demo}:put-away`),
  });
}

type OpenDeskParts = {
  url: string;
  /** Names the database, and begins the keys in the device's storage. */
  prefix: string;
  createId: () => string;
  tabStorage: TranscriptStorage;
  openKey: string;
  /** Keeps until when the service takes no further turn. */
  waitKey: string;
  /** Keeps what a new conversation puts away, where that takes the place of the one before. */
  putAway?: KeptPutAway;
  addressedId?: string | undefined;
};

function openDesk(parts: OpenDeskParts): OpenDesk {
  const { url, prefix, createId, tabStorage, openKey, waitKey, putAway, addressedId } = parts;
  const keptWait = createKeptWait(deviceStorage('localStorage'), waitKey, pageClock);
  const lock = turnLock(prefix);
  const list = openList(prefix, createId);
  const desk = createDesk({
    list: {
      ...list,
      // What is kept is painted once: as it is written it would be seen for a moment, and then move.
      open: async (id) => (await Promise.all([list.open(id), loadMarkdown()]))[0],
    },
    tabStorage,
    openKey,
    addressedId,
    createId,
    createConversation: (transcript) =>
      createConversation({
        url,
        transcript,
        keptWait,
        putAway,
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

  async function adopt(store: ConversationStore): Promise<void> {
    const { adoptKept } = await import('../device/adopt-kept.ts');
    const typed = createKeptTyped(storage, prefix);
    await adoptKept({ storage, prefix, store, typed, createSoleId, now: pageClock.now() });
  }

  return createConversationList({
    store: openStore(prefix),
    storage,
    prefix,
    clock: pageClock,
    openChannel: () => openChannel(prefix),
    room: roomOnDevice(),
    exclusively: (action) => exclusively(`${prefix}:start`, action),
    pageId: crypto.randomUUID(),
    adopt: hasKeptBefore(storage, prefix) ? adopt : undefined,
  });
}

function createId(): string {
  return crypto.randomUUID();
}
