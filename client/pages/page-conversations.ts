import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { modelOptions, routes } from '../../shared/interface.ts';
import { systemClock } from '../chat/clock.ts';
import { paragraphs, unsent } from '../chat/composer.ts';
import { type Conversation, createConversation } from '../chat/conversation.ts';
import { createKeptWait } from '../chat/kept-wait.ts';
import type { TranscriptStorage } from '../chat/transcript.ts';
import { useWindowEvent } from '../controls/use-window-event.ts';
import { type ConversationList, createConversationList } from '../conversations/conversation-list.ts';
import { createOpenConversations, type OpenConversations } from '../conversations/open-conversations.ts';
import { deviceKeys, deviceStorage } from '../device/device-storage.ts';
import { createTabChannel } from '../device/tab-channel.ts';
import { loadMarkdown, loadMarkdownFor } from '../markdown/load-markdown.ts';
import { isSignedOut, sessionQuery } from '../session/session.ts';
import { openDatabase, roomOnDevice, turnLock } from './device.ts';

export type PageConversations = { openConversations: OpenConversations; list: ConversationList };

/** The live conversations of the person with `userId` on this device; first the one that the address names, if it does. */
export function openLiveConversations(userId: string, addressedId?: string): PageConversations {
  const prefix = deviceKeys.conversations(userId);
  const tabStorage = deviceStorage('sessionStorage');
  return openPageConversations({
    url: routes.liveChat,
    maxTokens: modelOptions.live.maxTokens,
    prefix,
    createId,
    tabStorage,
    openKey: deviceKeys.openConversation(userId),
    waitKey: deviceKeys.blockedUntil(userId),
    addressedId,
    isSignedOut,
  });
}

/** The one conversation with the demo on this device: what is typed goes along to a new one, and back. */
export function openDemoConversations(): PageConversations {
  const forgetful = { getItem: () => null, setItem() {}, removeItem() {} };
  const opened = openPageConversations({
    url: routes.demoChat,
    maxTokens: modelOptions.demo.maxTokens,
    prefix: deviceKeys.demo,
    // All tabs begin the same one.
    createId(list) {
      let count = 1;
      while (list.isTaken(demoId(count))) count += 1;
      return demoId(count);
    },
    tabStorage: forgetful,
    openKey: '',
    waitKey: deviceKeys.demoBlockedUntil,
  });
  carryDraft(opened.openConversations);
  // Release 1.1.0 has kept there what a new conversation had taken the place of.
  deviceStorage('localStorage').removeItem(`${deviceKeys.demo}:put-away`);
  return opened;
}

function demoId(count: number): string {
  return count === 1 ? 'demo' : `demo-${count}`;
}

/** Brings what is typed and not sent along to the conversation that takes the place of the one before. */
function carryDraft(openConversations: OpenConversations): void {
  let before: Conversation | undefined;
  openConversations.subscribe(() => {
    const { conversation } = openConversations.getState();
    if (conversation === undefined || conversation === before) return;
    const typed = before && unsent(before.getState().turns, before.composer.getState());
    if (typed) {
      for (const _ of before?.composer.getState().queued ?? []) before?.composer.takeBack();
      before?.composer.cancelEdit();
      before?.composer.setDraft('');
      conversation.composer.setDraft(paragraphs(conversation.composer.getState().draft, typed));
    }
    before = conversation;
  });
}

type PageConversationsParts = {
  url: string;
  maxTokens: number;
  /** Names the database, and begins the keys in the device's storage. */
  prefix: string;
  createId: (list: ConversationList) => string;
  tabStorage: TranscriptStorage;
  openKey: string;
  /** Keeps until when the service takes no further turn. */
  waitKey: string;
  addressedId?: string | undefined;
  isSignedOut?: () => Promise<boolean>;
};

function openPageConversations(parts: PageConversationsParts): PageConversations {
  const { url, maxTokens, prefix, createId, tabStorage, openKey, waitKey, addressedId, isSignedOut } = parts;
  const keptWait = createKeptWait(deviceStorage('localStorage'), waitKey, systemClock);
  const lock = turnLock(prefix);
  const list = createConversationList({
    database: openDatabase(prefix),
    storage: deviceStorage('localStorage'),
    prefix,
    clock: systemClock,
    openChannel: () => createTabChannel(prefix),
    room: roomOnDevice(),
  });
  const openConversations = createOpenConversations({
    list: {
      ...list,
      // What is kept is painted once: as it is written it would be seen for a moment, and then move.
      open: async (id) => {
        const [transcript] = await Promise.all([list.open(id), loadMarkdown()]);
        await loadMarkdownFor(transcript?.load().turns.map(({ reply }) => reply) ?? []);
        return transcript;
      },
    },
    tabStorage,
    openKey,
    addressedId,
    createId: () => createId(list),
    createConversation: (transcript) =>
      createConversation({
        url,
        maxTokens,
        transcript,
        keptWait,
        fetch: (...request) => fetch(...request),
        clock: systemClock,
        createRequestId: () => crypto.randomUUID(),
        lock,
        isSignedOut,
      }),
  });
  return { openConversations, list };
}

function createId(): string {
  return crypto.randomUUID();
}

/**
 * The conversations of a page and what is shown of them, for as long as the component lives: give that a `key` where the person
 * can change. A sign-out in another tab signs the person out here too, and leaves nothing on the page.
 */
export function usePageConversations(open: () => PageConversations) {
  const queryClient = useQueryClient();
  const [{ openConversations, list }] = useState(open);
  const state = useSyncExternalStore(openConversations.subscribe, openConversations.getState);

  useWindowEvent('beforeunload', openConversations.aboutToLeave);
  useWindowEvent('pagehide', openConversations.leave);
  useEffect(() => openConversations.leave, [openConversations]);
  useWindowEvent('pageshow', ({ persisted }) => {
    // The page comes back as it was left, and has not heard of what other tabs have done meanwhile.
    if (persisted) list.takeIn();
  });
  useEffect(() => {
    // On a phone a hidden page may never be seen again, and nobody says so.
    const look = () => (document.hidden ? openConversations.keep() : openConversations.settle());
    document.addEventListener('visibilitychange', look);
    return () => document.removeEventListener('visibilitychange', look);
  }, [openConversations]);
  useEffect(() => list.connect(), [list]);
  useEffect(
    () =>
      list.onForgotten(() => {
        openConversations.clear();
        queryClient.invalidateQueries(sessionQuery);
      }),
    [openConversations, list, queryClient],
  );

  return { openConversations, list, state };
}
