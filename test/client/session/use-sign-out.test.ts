import { type QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { createElement, type PropsWithChildren } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { Router } from 'wouter';
import { deviceKeys, hasRetainedConversations } from '../../../client/device/device-storage.ts';
import { createQueryClient } from '../../../client/session/query-client.ts';
import { SessionRejectedError, sessionQuery } from '../../../client/session/session.ts';
import type { SignOut } from '../../../client/session/sign-out.ts';
import { useSignOut } from '../../../client/session/use-sign-out.ts';
import { createFakeStorage } from '../../../client-package/testing/fake-storage.ts';
import { pages, routes } from '../../../shared/interface.ts';
import type { Session } from '../../../shared/session.ts';

const organization = { id: 'an-organization', name: 'Harbor Foods' };
const signedIn: Session = {
  user: { id: 'avery', name: 'Avery', email: null, onboarded: true, organization },
  providers: ['google', 'github'],
};

/** Some keys of the data on the device. `ofOthers` always stays. */
const ofUser = [deviceKeys.openConversation('avery'), deviceKeys.onboardingForm('avery'), deviceKeys.provider];
const ofDemo = [deviceKeys.demo];
const ofOthers = [deviceKeys.onboardingForm('blake'), deviceKeys.demoBlockedUntil];

describe('useSignOut', () => {
  const { fetch, BroadcastChannel, indexedDB } = globalThis;
  let queryClient: QueryClient;
  let status: number;
  /** The requests, messages and deletions of the sign-out, and when it clears the page, in order. */
  let actions: unknown[];
  const openChannels = new Set<object>();
  let sessionResponse: PromiseWithResolvers<Response>;
  /** The page that the sign-out opens, and its history state. */
  let opened: unknown;

  beforeEach(() => {
    const storages = { localStorage: createFakeStorage(), sessionStorage: createFakeStorage() };
    for (const storage of Object.values(storages))
      for (const key of [...ofUser, ...ofDemo, ...ofOthers]) storage.setItem(key, 'stored');
    class FakeChannel {
      readonly name: string;
      constructor(name: string) {
        this.name = name;
        openChannels.add(this);
      }
      postMessage(message: unknown): void {
        actions.push([this.name, message]);
      }
      close(): void {
        openChannels.delete(this);
      }
    }
    Object.assign(globalThis, {
      window: storages,
      BroadcastChannel: FakeChannel,
      indexedDB: { deleteDatabase: (name: string) => actions.push(`delete ${name}`) },
      fetch: async (url: string, { method }: RequestInit) => {
        if (url === routes.session) return sessionResponse.promise;
        actions.push(`${method} ${url}`);
        return new Response(null, { status });
      },
    });
    actions = [];
    openChannels.clear();
    status = 204;
    sessionResponse = Promise.withResolvers();
    queryClient = createQueryClient();
    queryClient.setQueryData(sessionQuery.queryKey, signedIn);
    opened = undefined;
  });

  afterEach(() => {
    queryClient.clear();
    Object.assign(globalThis, { fetch, BroadcastChannel, indexedDB });
    Reflect.deleteProperty(globalThis, 'window');
  });

  /** Renders the hook, and signs out with it. */
  function signOut(conversations: SignOut['conversations']): Promise<void> {
    let mutate: ((signOut: SignOut) => Promise<void>) | undefined;
    const Page = () => {
      const onDeleted = () => actions.push(`clear the page, which has ${storedKeys().length} keys`);
      mutate = useSignOut(routes.signOut, 'avery', onDeleted).mutateAsync;
      return null;
    };
    const navigate = (page: string, { state }: { state?: unknown } = {}) => {
      opened = { page, state };
    };
    const Located = ({ children }: PropsWithChildren) => Router({ hook: () => [pages.chat, navigate], children });
    const page = createElement(Located, null, createElement(Page));
    renderToStaticMarkup(createElement(QueryClientProvider, { client: queryClient }, page));
    if (mutate === undefined) throw new Error('The hook was not rendered.');
    return mutate({ conversations });
  }

  const storedKeys = () =>
    ['localStorage', 'sessionStorage'].flatMap((kind) => {
      const { items } = window[kind as 'localStorage'] as unknown as ReturnType<typeof createFakeStorage>;
      return [...items.keys()];
    });

  it('keeps the conversations if the user chooses to, and announces the sign-out to other tabs', async () => {
    await signOut('kept');
    expect(storedKeys()).to.include.members([...ofUser, ...ofDemo, ...ofOthers]);
    expect(hasRetainedConversations()).to.equal(true);
    expect(actions).to.deep.equal([`POST ${routes.signOut}`, [deviceKeys.signedIn, null]]);
    expect(openChannels.size).to.equal(0);
  });

  it('clears the page, tells other tabs, and deletes all data of the user and of the demo if the user chooses to', async () => {
    await signOut('deleted');
    expect(storedKeys()).to.have.members([...ofOthers, ...ofOthers, ...ofUser.slice(-1), ...ofDemo]);
    expect(window.localStorage.getItem(deviceKeys.provider)).to.equal(null);
    expect(hasRetainedConversations()).to.equal(false);
    const conversations = deviceKeys.conversations('avery');
    expect(actions).to.deep.equal([
      `POST ${routes.signOut}`,
      'clear the page, which has 12 keys',
      [conversations, { type: 'forgotten' }],
      [deviceKeys.demo, { type: 'forgotten' }],
      `delete ${conversations}`,
      [deviceKeys.signedIn, null],
    ]);
    expect(openChannels.size).to.equal(0);
  });

  it('opens the demo, and forgets the user and the outcomes of earlier requests', async () => {
    await signOut('deleted');
    expect(opened).to.deep.equal({ page: pages.demo, state: { conversations: 'deleted' } });
    expect(queryClient.getQueryData(sessionQuery.queryKey)).to.deep.equal({ ...signedIn, user: null });
    expect(queryClient.getMutationCache().getAll()).to.deep.equal([]);
  });

  it('ignores the response to a request for the session that was sent before', async () => {
    const refetch = queryClient.fetchQuery({ ...sessionQuery, staleTime: 0 });
    await signOut('deleted');
    sessionResponse.resolve(Response.json(signedIn));
    await refetch.catch(() => undefined);
    expect(queryClient.getQueryData(sessionQuery.queryKey)).to.deep.equal({ ...signedIn, user: null });
  });

  for (const [failure, isRejected] of [
    [401, true],
    [500, false],
  ] as const) {
    it(`deletes nothing after status ${failure}, and ${isRejected ? 'marks the session as outdated' : 'leaves the session current'}`, async () => {
      status = failure;
      const before = storedKeys();
      const error = await signOut('deleted').catch((thrown: unknown) => thrown);
      expect(error instanceof SessionRejectedError).to.equal(isRejected);
      expect(storedKeys()).to.deep.equal(before);
      expect(actions).to.deep.equal([`POST ${routes.signOut}`]);
      expect(opened).to.equal(undefined);
      expect(queryClient.getQueryState(sessionQuery.queryKey)?.isInvalidated).to.equal(isRejected);
    });
  }
});
