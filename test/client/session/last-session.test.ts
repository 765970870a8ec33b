import { QueryClient } from '@tanstack/react-query';
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import {
  deviceKeys,
  hasRetainedConversations,
  markConversationsRetained,
} from '../../../client/device/device-storage.ts';
import { lastSession, storeLastSession } from '../../../client/session/last-session.ts';
import { sessionQuery } from '../../../client/session/session.ts';
import { createFakeStorage } from '../../../client-package/testing/fake-storage.ts';
import type { Session } from '../../../shared/session.ts';

const organization = { id: 'an-organization', name: 'Harbor Foods' };
const user = { id: 'avery', name: 'Avery', email: null, onboarded: true, organization };
const signedIn: Session = { user, providers: ['google'] };

describe('The session stored for offline use', () => {
  beforeEach(() => {
    Object.assign(globalThis, { window: { localStorage: createFakeStorage() } });
  });
  afterEach(() => Reflect.deleteProperty(globalThis, 'window'));

  it('is the latest session that the service reported, and is deleted once a session has no user', async () => {
    const queryClient = new QueryClient();
    storeLastSession(queryClient);
    const report = (session: Session) =>
      queryClient.fetchQuery({ ...sessionQuery, queryFn: () => session, staleTime: 0 });
    expect(lastSession()).to.equal(undefined);

    await report(signedIn);
    expect(lastSession()).to.deep.equal(signedIn);

    await report({ user: null, providers: ['google'] });
    expect(lastSession()).to.equal(undefined);
    queryClient.clear();
  });

  it('stays when the service cannot be reached', async () => {
    window.localStorage.setItem(deviceKeys.session, JSON.stringify(signedIn));
    const queryClient = new QueryClient();
    storeLastSession(queryClient);
    const queryFn = () => Promise.reject(new TypeError());
    await queryClient.fetchQuery({ ...sessionQuery, queryFn, retry: false }).catch(() => undefined);
    expect(lastSession()).to.deep.equal(signedIn);
    queryClient.clear();
  });

  it('stays when another query succeeds before the session is read', () => {
    window.localStorage.setItem(deviceKeys.session, JSON.stringify(signedIn));
    const queryClient = new QueryClient();
    storeLastSession(queryClient);
    queryClient.setQueryData(['another'], 'one');
    expect(lastSession()).to.deep.equal(signedIn);
    queryClient.clear();
  });

  it('clears the mark for the kept conversations of a signed-out user once that user signs in again', () => {
    const queryClient = new QueryClient();
    storeLastSession(queryClient);
    for (const id of ['avery', 'blake']) markConversationsRetained(id);
    queryClient.setQueryData(sessionQuery.queryKey, { user: { ...user, id: 'blake' }, providers: [] });
    expect(hasRetainedConversations()).to.equal(true);
    queryClient.setQueryData(sessionQuery.queryKey, signedIn);
    expect(hasRetainedConversations()).to.equal(false);
    queryClient.clear();
  });
});
