import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { modelOptions, routes } from '../../../shared/interface.ts';
import { isObject } from '../../../shared/is-object.ts';
import { useWindowEvent } from '../../browser/use-window-event.ts';
import { createConversation } from '../../chat/conversation.ts';
import type { Conversation } from '../../chat/conversation-interface.ts';
import { createStoredCooldown } from '../../chat/cooldown.ts';
import { unsentText } from '../../chat/draft.ts';
import { createTranscript, type Transcript } from '../../chat/transcript.ts';
import { mayBeTruncated } from '../../chat/truncation.ts';
import { createWebLock } from '../../chat/turn-lock.ts';
import { titleOf } from '../../device/conversation-title.ts';
import { deviceKeys, deviceStorage } from '../../device/device-storage.ts';
import { createTabChannel } from '../../device/tab-channel.ts';
import { createUndoOffer, type UndoOffer } from '../../library/undo.ts';
import { loadMarkdownFor } from '../../markdown/load-markdown.ts';
import { sessionQuery } from '../../session/session.ts';
import { usePageLifecycle } from '../use-page-lifecycle.ts';

function openDemoConversation() {
  const storage = deviceStorage('localStorage');
  const transcript = createTranscript(storage, deviceKeys.demo);
  const conversation = createConversation({
    url: routes.demoChat,
    mayBeTruncated: (reply) => mayBeTruncated(reply, modelOptions.demo.maxTokens),
    transcript,
    cooldown: createStoredCooldown(storage, deviceKeys.demoBlockedUntil),
    fetch: (...request) => fetch(...request),
    lock: createWebLock(navigator.locks, deviceKeys.demo),
  });
  const undoOffer = createUndoOffer();
  return { conversation, undoOffer, startNew: () => startOver({ conversation, transcript, undoOffer }) };
}

/** `isReady` is false until stored replies can be rendered in their final form. */
export function useDemoConversation() {
  const queryClient = useQueryClient();
  const [demo] = useState(openDemoConversation);
  const { conversation } = demo;
  const [isReady, setIsReady] = useState(() => conversation.getState().turns.length === 0);

  useEffect(() => {
    const replies = conversation.getState().turns.map(({ reply }) => reply);
    if (replies.length > 0) loadMarkdownFor(replies).then(() => setIsReady(true));
  }, [conversation]);

  usePageLifecycle(conversation);
  useWindowEvent('storage', ({ key }) => {
    if (key === deviceKeys.demo || key === null) conversation.loadStored();
  });
  useEffect(() => {
    const channel = createTabChannel(deviceKeys.demo);
    channel.listen((message) => {
      // The user has signed out in another tab.
      if (!isObject(message) || message.type !== 'forgotten') return;
      conversation.clear();
      queryClient.invalidateQueries(sessionQuery);
    });
    return () => channel.close();
  }, [conversation, queryClient]);

  return { ...demo, isReady };
}

type StartOverDependencies = {
  conversation: Conversation;
  transcript: Transcript;
  undoOffer: Pick<UndoOffer, 'offer'>;
};

/** Stops the running reply, clears the conversation and offers undo. Keeps the unsent text. */
export function startOver({ conversation, transcript, undoOffer }: StartOverDependencies): void {
  conversation.stop();
  const { conversationId, tree, turns } = conversation.getState();
  const draftText = unsentText(turns, conversation.getState().draft);
  conversation.clear();
  conversation.setDraft(draftText);

  undoOffer.offer({
    id: turns[0]?.id ?? '',
    title: titleOf(turns[0]?.question ?? ''),
    undo() {
      // `loadStored` has no effect while a turn runs.
      conversation.stop();
      transcript.saveTurns({ conversationId, ...tree });
      conversation.loadStored();
    },
  });
}
