import 'fake-indexeddb/auto';
import { expect } from 'chai';
import { IDBFactory } from 'fake-indexeddb';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { Conversation } from '../../../../client/chat/conversation-interface.ts';
import { openLiveConversations } from '../../../../client/pages/live-chat/live-conversations.ts';
import { fails, failsMidway, startFakeBackend } from '../../../../client-package/testing/fake-backend.ts';
import { createFakeStorage } from '../../../../client-package/testing/fake-storage.ts';
import { modelOptions, routes } from '../../../../shared/interface.ts';
import type { Session } from '../../../../shared/session.ts';
import { eventually } from '../../../support/eventually.ts';
import { perTest } from '../../../support/per-suite.ts';

const globalNames = ['window', 'navigator', 'fetch', 'indexedDB', 'crypto'] as const;

describe('A conversation of live chat', () => {
  const backend = perTest(() => startFakeBackend());
  const originals = new Map<string, PropertyDescriptor | undefined>();
  const opened: ReturnType<typeof openLiveConversations>[] = [];

  beforeEach(() => {
    for (const name of globalNames) originals.set(name, Object.getOwnPropertyDescriptor(globalThis, name));
    const { fetch, crypto: originalCrypto } = globalThis;
    const window = { localStorage: createFakeStorage(), sessionStorage: createFakeStorage() };
    const session: Session = { user: null, providers: [] };
    const values = {
      window,
      navigator: { onLine: true },
      // A page served over plain HTTP has no `randomUUID`.
      crypto: { getRandomValues: (bytes: Uint8Array<ArrayBuffer>) => originalCrypto.getRandomValues(bytes) },
      // Other test files in the same process use databases of the same names.
      indexedDB: new IDBFactory(),
      fetch: (path: string, init: RequestInit) =>
        path === routes.session ? Promise.resolve(Response.json(session)) : fetch(new URL(path, backend.url), init),
    };
    for (const name of globalNames) {
      Object.defineProperty(globalThis, name, { configurable: true, writable: true, value: values[name] });
    }
  });

  afterEach(() => {
    for (const { openConversations } of opened.splice(0)) openConversations.clear();
    for (const [name, descriptor] of originals) {
      if (descriptor) Object.defineProperty(globalThis, name, descriptor);
      else Reflect.deleteProperty(globalThis, name);
    }
  });

  async function open(userId: string): Promise<Conversation> {
    const live = openLiveConversations(userId);
    opened.push(live);
    return eventually(() => live.openConversations.getState().conversation);
  }

  it('may be truncated at the maximum length of live chat, but not at that of the demo', async () => {
    const { mayBeTruncated } = await open('ada');
    const replyOf = (tokens: number) => ({ reply: `${'ab '.repeat(tokens)}\n- ab`, ending: { type: 'done' } as const });
    expect(mayBeTruncated(replyOf(modelOptions.live.maxTokens))).to.equal(true);
    expect(mayBeTruncated(replyOf(modelOptions.demo.maxTokens))).to.equal(false);
  });

  it('remembers the wait after a 429 for its user only', async () => {
    const conversation = await open('ada');
    backend.answer(fails('RATE_LIMITED', { retryAfterSeconds: 120 }));
    await conversation.send('Where do we stand?');
    expect((await open('ada')).getState().cooldownUntil).to.be.a('number');
    expect((await open('bo')).getState().cooldownUntil).to.equal(null);
  });

  it('reports an ended session as the reason of an incomplete reply', async () => {
    const conversation = await open('ada');
    backend.answer(failsMidway('Week 3'));
    expect(await conversation.send('Where do we stand?')).to.deep.include({ code: 'UNAUTHENTICATED' });
  });
});
