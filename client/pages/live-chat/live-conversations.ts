import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { modelOptions, routes } from '../../../shared/interface.ts';
import { createRandomId } from '../../chat/attempt.ts';
import { systemClock } from '../../chat/clock.ts';
import { createConversation } from '../../chat/conversation.ts';
import { createStoredCooldown } from '../../chat/cooldown.ts';
import { mayBeTruncated } from '../../chat/truncation.ts';
import { createWebLock } from '../../chat/turn-lock.ts';
import { openConversationDatabase } from '../../device/conversation-database.ts';
import { deviceKeys, deviceStorage } from '../../device/device-storage.ts';
import { browserSiteStorage } from '../../device/site-storage.ts';
import { createTabChannel } from '../../device/tab-channel.ts';
import { createLibrary, type Library } from '../../library/library.ts';
import { createOpenConversations, type OpenConversations } from '../../library/open-conversations.ts';
import { loadMarkdown, loadMarkdownFor } from '../../markdown/load-markdown.ts';
import { isSignedOut, sessionQuery } from '../../session/session.ts';
import { usePageLifecycle } from '../use-page-lifecycle.ts';

type LiveConversations = { openConversations: OpenConversations; library: Library };

export function openLibrary(userId: string): Library {
  const prefix = deviceKeys.conversations(userId);
  return createLibrary({
    database: openConversationDatabase(prefix).catch(() => null),
    storage: deviceStorage('localStorage'),
    prefix,
    clock: systemClock,
    openChannel: () => createTabChannel(prefix),
    siteStorage: browserSiteStorage(),
  });
}

export function openLiveConversations(userId: string, idInUrl?: string): LiveConversations {
  const cooldown = createStoredCooldown(deviceStorage('localStorage'), deviceKeys.cooldownUntil(userId));
  const lock = createWebLock(navigator.locks, deviceKeys.conversations(userId));
  const library = openLibrary(userId);
  const openConversations = createOpenConversations({
    library: {
      ...library,
      // Waits for the Markdown renderer, because otherwise unformatted text would appear briefly and then shift.
      open: async (id) => {
        const [transcript] = await Promise.all([library.open(id), loadMarkdown()]);
        await loadMarkdownFor(transcript?.load().turns.map(({ reply }) => reply) ?? []);
        return transcript;
      },
    },
    tabStorage: deviceStorage('sessionStorage'),
    openKey: deviceKeys.openConversation(userId),
    idInUrl,
    createId: createRandomId,
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
  return { openConversations, library };
}

/** The `key` of the component must change with the user. A sign-out in another tab also signs out here. */
export function useLiveConversations(open: () => LiveConversations) {
  const queryClient = useQueryClient();
  const [{ openConversations, library }] = useState(open);
  const state = useSyncExternalStore(openConversations.subscribe, openConversations.getState);

  usePageLifecycle({ ...openConversations, loadStored: library.reload });
  useEffect(() => library.connect(), [library]);
  useEffect(
    () =>
      library.onSignedOutElsewhere(() => {
        openConversations.clear();
        queryClient.invalidateQueries(sessionQuery);
      }),
    [openConversations, library, queryClient],
  );

  return { openConversations, library, state };
}
