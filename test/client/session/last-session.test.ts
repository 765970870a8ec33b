import { QueryClient } from '@tanstack/react-query';
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { lastSession, storeLastSession } from '../../../client/session/last-session.ts';
import { sessionQuery } from '../../../client/session/session.ts';
import { createFakeStorage } from '../../../client-package/testing/fake-storage.ts';
import type { Session } from '../../../shared/session.ts';

describe('The session stored for offline use', () => {
  beforeEach(() => {
    Object.assign(globalThis, { window: { localStorage: createFakeStorage() } });
  });
  afterEach(() => Reflect.deleteProperty(globalThis, 'window'));

  it('is the one that the service has reported last, and is deleted once that has no user', async () => {
    const organization = { id: 'an-organization', name: 'Harbor Foods' };
    const user = { id: 'avery', name: 'Avery', email: null, onboarded: true, organization };
    const queryClient = new QueryClient();
    storeLastSession(queryClient);
    const report = (session: Session) =>
      queryClient.fetchQuery({ ...sessionQuery, queryFn: () => session, staleTime: 0 });
    expect(lastSession()).to.equal(undefined);

    const signedIn: Session = { user, providers: ['google'] };
    await report(signedIn);
    expect(lastSession()).to.deep.equal(signedIn);

    await report({ user: null, providers: ['google'] });
    expect(lastSession()).to.equal(undefined);
    queryClient.clear();
  });
});
