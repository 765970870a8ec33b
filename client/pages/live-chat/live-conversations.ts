import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { modelOptions, routes } from '../../../shared/interface.ts';
import { systemClock } from '../../chat/clock.ts';
import { createConversation } from '../../chat/conversation.ts';
import { createStoredCooldown } from '../../chat/cooldown.ts';
import { mayBeTruncated } from '../../chat/truncation.ts';
import { createWebLock } from '../../chat/turn-lock.ts';
import { openConversationDatabase } from '../../device/conversation-database.ts';
import { deviceKeys, deviceStorage } from '../../device/device-storage.ts';
import { browserSiteStorage } from '../../device/site-storage.ts';
import { createTabChannel } from '../../device/tab-channel.ts';
import { type ConversationList, createConversationList } from '../../library/library.ts';
import { createOpenConversations, type OpenConversations } from '../../library/open-conversations.ts';
import { loadMarkdown, loadMarkdownFor } from '../../markdown/load-markdown.ts';
import { isSignedOut, sessionQuery } from '../../session/session.ts';
import { usePageLifecycle } from '../use-page-lifecycle.ts';

type LiveConversations = { openConversations: OpenConversations; list: ConversationList };

export function openConversationList(userId: string): ConversationList {
  const prefix = deviceKeys.conversations(userId);
  return createConversationList({
    database: openConversationDatabase(prefix).catch(() => null),
    storage: deviceStorage('localStorage'),
    prefix,
    clock: systemClock,
    openChannel: () => createTabChannel(prefix),
    siteStorage: browserSiteStorage(),
  });
}

export function openLiveConversations(userId: string, addressedId?: string): LiveConversations {
  const cooldown = createStoredCooldown(deviceStorage('localStorage'), deviceKeys.cooldownUntil(userId));
  const lock = createWebLock(navigator.locks, deviceKeys.conversations(userId));
  const list = openConversationList(userId);
  const openConversations = createOpenConversations({
    list: {
      ...list,
      // Waits for the Markdown renderer, because unformatted text would appear briefly and then shift.
      open: async (id) => {
        const [transcript] = await Promise.all([list.open(id), loadMarkdown()]);
        await loadMarkdownFor(transcript?.load().turns.map(({ reply }) => reply) ?? []);
        return transcript;
      },
    },
    tabStorage: deviceStorage('sessionStorage'),
    openKey: deviceKeys.openConversation(userId),
    idInUrl: addressedId,
    createId: () => crypto.randomUUID(),
    onStartNew: () => cooldown.save(0),
    createConversation: (transcript) =>
      createConversation({
        url: routes.liveChat,
        mayBeTruncated: (reply) => mayBeTruncated(reply, modelOptions.live.maxTokens),
        transcript,
        cooldown,
        fetch: (...request) => fetch(...request),
        lock,
        isSignedOut,
      }),
  });
  return { openConversations, list };
}

/** The `key` of the component must change with the user. A sign-out in another tab also signs out here. */
export function useLiveConversations(open: () => LiveConversations) {
  const queryClient = useQueryClient();
  const [{ openConversations, list }] = useState(open);
  const state = useSyncExternalStore(openConversations.subscribe, openConversations.getState);

  usePageLifecycle({ ...openConversations, loadStored: list.reload });
  useEffect(() => list.connect(), [list]);
  useEffect(
    () =>
      list.onSignedOutElsewhere(() => {
        openConversations.clear();
        queryClient.invalidateQueries(sessionQuery);
      }),
    [openConversations, list, queryClient],
  );

  return { openConversations, list, state };
}
