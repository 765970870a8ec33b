import type { QueryClient } from '@tanstack/react-query';
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { PropsWithChildren } from 'react';
import { Router } from 'wouter';
import { deviceKeys, hasRetainedConversations } from '../../../client/device/device-storage.ts';
import { createQueryClient } from '../../../client/session/query-client.ts';
import { SessionRejectedError, sessionQuery } from '../../../client/session/session.ts';
import type { SignOut } from '../../../client/session/sign-out.ts';
import { useSignOut } from '../../../client/session/use-sign-out.ts';
import { createFakeStorage } from '../../../client-package/testing/fake-storage.ts';
import { pages, routes } from '../../../shared/interface.ts';
import { renderHook, sessionOf } from './sessions.ts';

/** Some keys of the data on the device. `ofOthers` always stays. */
const ofUser = [deviceKeys.openConversation('avery'), deviceKeys.onboardingForm('avery'), deviceKeys.provider];
const ofOthers = [deviceKeys.onboardingForm('blake'), deviceKeys.demoBlockedUntil];
const keys = [...ofUser, deviceKeys.demo, ...ofOthers];
const conversations = deviceKeys.conversations('avery');

describe('useSignOut', () => {
  const { fetch, BroadcastChannel, indexedDB } = globalThis;
  const openChannels = new Set<object>();
  let queryClient: QueryClient;
  let storages: Record<'localStorage' | 'sessionStorage', ReturnType<typeof createFakeStorage>>;
  let status: number;
  let sessionResponse: PromiseWithResolvers<Response>;
  let effects: {
    requests: string[];
    messages: [channel: string, message: unknown][];
    deletedDatabases: string[];
    /** The stored keys when the page was cleared. */
    cleared: string[][];
    opened: { page: string; state?: unknown }[];
  };

  beforeEach(() => {
    storages = { localStorage: createFakeStorage(), sessionStorage: createFakeStorage() };
    for (const storage of Object.values(storages)) for (const key of keys) storage.setItem(key, 'stored');
    effects = { requests: [], messages: [], deletedDatabases: [], cleared: [], opened: [] };
    class FakeChannel {
      readonly name: string;
      constructor(name: string) {
        this.name = name;
        openChannels.add(this);
      }
      postMessage(message: unknown): void {
        effects.messages.push([this.name, message]);
      }
      close(): void {
        openChannels.delete(this);
      }
    }
    Object.assign(globalThis, {
      window: storages,
      BroadcastChannel: FakeChannel,
      indexedDB: { deleteDatabase: (name: string) => effects.deletedDatabases.push(name) },
      fetch: async (url: string, { method }: RequestInit) => {
        if (url === routes.session) return sessionResponse.promise;
        effects.requests.push(`${method} ${url}`);
        return new Response(null, { status });
      },
    });
    openChannels.clear();
    status = 204;
    sessionResponse = Promise.withResolvers();
    queryClient = createQueryClient();
    queryClient.setQueryData(sessionQuery.queryKey, sessionOf('avery'));
  });

  afterEach(() => {
    queryClient.clear();
    Object.assign(globalThis, { fetch, BroadcastChannel, indexedDB });
    Reflect.deleteProperty(globalThis, 'window');
  });

  const storedKeys = () => Object.values(storages).flatMap(({ items }) => [...items.keys()]);

  function signOut(outcome: SignOut['conversations']): Promise<void> {
    const navigate = (page: string, options: { state?: unknown } = {}) => effects.opened.push({ page, ...options });
    const Located = ({ children }: PropsWithChildren) => Router({ hook: () => [pages.chat, navigate], children });
    const onDeleted = () => effects.cleared.push(storedKeys());
    const { mutateAsync } = renderHook(queryClient, () => useSignOut(routes.signOut, 'avery', onDeleted), Located);
    return mutateAsync({ conversations: outcome });
  }

  it('keeps the conversations if the user chooses to, and announces the sign-out to other tabs', async () => {
    await signOut('kept');
    expect(storedKeys()).to.include.members(keys);
    expect(hasRetainedConversations()).to.equal(true);
    expect(openChannels.size).to.equal(0);
    expect(effects).to.deep.equal({
      requests: [`POST ${routes.signOut}`],
      messages: [[deviceKeys.signedIn, null]],
      deletedDatabases: [],
      cleared: [],
      opened: [{ page: pages.demo, state: { conversations: 'kept' } }],
    });
  });

  it('clears the page before it deletes all data of the user and of the demo here and in other tabs, if the user chooses to', async () => {
    await signOut('deleted');
    const { messages, ...others } = effects;
    expect(storages.localStorage.items).to.have.all.keys(ofOthers);
    expect(storages.sessionStorage.items).to.have.all.keys([...ofOthers, deviceKeys.provider, deviceKeys.demo]);
    expect(openChannels.size).to.equal(0);
    expect(messages).to.have.deep.members([
      [conversations, { type: 'forgotten' }],
      [deviceKeys.demo, { type: 'forgotten' }],
      [deviceKeys.signedIn, null],
    ]);
    expect(others).to.deep.equal({
      requests: [`POST ${routes.signOut}`],
      deletedDatabases: [conversations],
      cleared: [[...keys, ...keys]],
      opened: [{ page: pages.demo, state: { conversations: 'deleted' } }],
    });
  });

  it('forgets the user and the outcomes of earlier requests, and ignores an earlier request for the session', async () => {
    const refetch = queryClient.fetchQuery({ ...sessionQuery, staleTime: 0 });
    await signOut('deleted');
    sessionResponse.resolve(Response.json(sessionOf('avery')));
    await refetch.catch(() => undefined);
    expect(queryClient.getQueryData(sessionQuery.queryKey)).to.deep.equal(sessionOf(null));
    expect(queryClient.getMutationCache().getAll()).to.deep.equal([]);
  });

  for (const [failure, isRejected] of [
    [401, true],
    [500, false],
  ] as const) {
    it(`deletes nothing after status ${failure}, and ${isRejected ? 'marks the session as outdated' : 'leaves the session current'}`, async () => {
      status = failure;
      const error = await signOut('deleted').catch((thrown: unknown) => thrown);
      expect(error).to.be.instanceOf(Error);
      expect(error instanceof SessionRejectedError).to.equal(isRejected);
      expect(queryClient.getQueryState(sessionQuery.queryKey)?.isInvalidated).to.equal(isRejected);
      expect(storedKeys()).to.deep.equal([...keys, ...keys]);
      const nothing = { messages: [], deletedDatabases: [], cleared: [], opened: [] };
      expect(effects).to.deep.equal({ ...nothing, requests: [`POST ${routes.signOut}`] });
    });
  }
});
