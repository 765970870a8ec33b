import { randomUUID } from 'node:crypto';
import { createConversation } from '../../../client/chat/conversation.ts';
import { createTranscript } from '../../../client/chat/transcript.ts';
import { createFakeClock, type FakeClock } from '../../../client-package/testing/fake-clock.ts';
import { createFakeStorage } from '../../../client-package/testing/fake-storage.ts';

/**
 * The SPA's conversation with the chat route at `url`, as it runs below the pages, on a clock that stands still until it
 * is advanced. The cookie goes along as a browser sends it.
 */
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
    /** The status of each attempt that was answered. */
    statuses,
  };
}

/** A request as a browser sends it that has this cookie. */
export function withCookie(init: RequestInit | undefined, cookie: string): RequestInit {
  const headers = new Headers(init?.headers);
  headers.set('Cookie', cookie);
  return { ...init, headers };
}

export type ChatClient = ReturnType<typeof createChatClient>;

type Options = { url: string; cookie?: string; clock?: FakeClock };
