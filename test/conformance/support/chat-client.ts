import { randomUUID } from 'node:crypto';
import { createConversation } from '../../../client/chat/conversation.ts';
import { createTranscript } from '../../../client/chat/transcript.ts';
import { createFakeClock, type FakeClock } from '../../../client-package/testing/fake-clock.ts';
import { createFakeStorage } from '../../../client-package/testing/fake-storage.ts';

/** Creates the SPA's conversation with the chat route at `url`, without pages, on a fake clock and with a browser's cookie. */
export function createChatClient({ url, cookie = '', clock = createFakeClock() }: Options) {
  const statuses: number[] = [];
  const conversation = createConversation({
    url,
    transcript: createTranscript(createFakeStorage(), 'advisory-chat:test'),
    clock,
    createRequestId: randomUUID,
    async fetch(target, init) {
      const response = await fetch(target, withCookie(init, cookie));
      statuses.push(response.status);
      return response;
    },
  });
  return {
    conversation,
    clock,
    statuses,
  };
}

export function withCookie(init: RequestInit | undefined, cookie: string): RequestInit {
  const headers = new Headers(init?.headers);
  headers.set('Cookie', cookie);
  return { ...init, headers };
}

export type ChatClient = ReturnType<typeof createChatClient>;

type Options = { url: string; cookie?: string; clock?: FakeClock };
