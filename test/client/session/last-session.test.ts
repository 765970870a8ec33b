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
import { sessionOf } from './sessions.ts';

const signedIn = sessionOf('avery');

describe('The session stored for offline use', () => {
  let queryClient: QueryClient;

  beforeEach(() => {
    Object.assign(globalThis, { window: { localStorage: createFakeStorage() } });
    queryClient = new QueryClient();
    storeLastSession(queryClient);
  });
  afterEach(() => {
    queryClient.clear();
    Reflect.deleteProperty(globalThis, 'window');
  });

  it('is the latest session that the service reported, and is deleted once a session has no user', async () => {
    const report = (session: Session) =>
      queryClient.fetchQuery({ ...sessionQuery, queryFn: () => session, staleTime: 0 });
    expect(lastSession()).to.equal(undefined);

    await report(signedIn);
    expect(lastSession()).to.deep.equal(signedIn);

    await report(sessionOf(null));
    expect(lastSession()).to.equal(undefined);
  });

  it('is kept when the service cannot be reached, and when another query succeeds before the session is read', async () => {
    window.localStorage.setItem(deviceKeys.session, JSON.stringify(signedIn));
    queryClient.setQueryData(['another'], 'one');
    expect(lastSession()).to.deep.equal(signedIn);
    const queryFn = () => Promise.reject(new TypeError());
    await queryClient.fetchQuery({ ...sessionQuery, queryFn, retry: false }).catch(() => undefined);
    expect(lastSession()).to.deep.equal(signedIn);
  });

  it('clears the mark for the kept conversations of a signed-out user once that user signs in again', () => {
    for (const id of ['avery', 'blake']) markConversationsRetained(id);
    queryClient.setQueryData(sessionQuery.queryKey, sessionOf('blake'));
    expect(hasRetainedConversations()).to.equal(true);
    queryClient.setQueryData(sessionQuery.queryKey, signedIn);
    expect(hasRetainedConversations()).to.equal(false);
  });
});
