import type { QueryClient } from '@tanstack/react-query';
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { invitationInState, joinQuestionQuery, readInvitation, useJoin } from '../../../client/session/invitation.ts';
import { createQueryClient } from '../../../client/session/query-client.ts';
import { SessionRejectedError, sessionQuery } from '../../../client/session/session.ts';
import { routes } from '../../../shared/interface.ts';
import { renderHook, sessionOf } from './sessions.ts';

describe('readInvitation', () => {
  it('moves the invitation from the URL to the history state, and keeps other parameters in the URL', () => {
    const historyState = { invitation: 'secret' };
    expect(readInvitation('?invitation=secret')).to.deep.equal({ historyState, url: '/sign-in' });
    expect(readInvitation('?returnTo=%2Fchat&invitation=secret')?.url).to.equal('/sign-in?returnTo=%2Fchat');
    expect(readInvitation('?returnTo=%2Fchat')).to.equal(undefined);
  });
});

describe('invitationInState', () => {
  it('returns the invitation of a history entry, and undefined for any other state', () => {
    expect(invitationInState({ invitation: 'secret' })).to.equal('secret');
    for (const state of [null, undefined, 'secret', {}, { invitation: '' }, { invitation: 5 }]) {
      expect(invitationInState(state), JSON.stringify(state)).to.equal(undefined);
    }
  });
});

describe('An invitation to another organization', () => {
  const { fetch } = globalThis;
  const question = { from: { id: 'one', name: 'One' }, to: { id: 'two', name: 'Two' } };
  let queryClient: QueryClient;
  let response: Response;
  let requests: unknown[];

  beforeEach(() => {
    queryClient = createQueryClient();
    queryClient.setQueryData(sessionQuery.queryKey, sessionOf(null));
    requests = [];
    globalThis.fetch = async (url, { method, body } = {}) => {
      requests.push([method, url, JSON.parse(String(body))]);
      return response.clone();
    };
  });

  afterEach(() => {
    Object.assign(globalThis, { fetch });
    queryClient.clear();
  });

  const ask = (userId = 'avery', invitation = 'secret') =>
    queryClient.fetchQuery({ ...joinQuestionQuery(userId, invitation), retry: false, staleTime: 60_000 });
  const join = () => renderHook(queryClient, () => useJoin('avery', 'secret')).mutateAsync({ from: 'one', to: 'two' });
  const isOutdated = ({ queryKey }: { queryKey: readonly unknown[] }) =>
    queryClient.getQueryState(queryKey)?.isInvalidated;

  it('is read without joining, once for each user and each invitation', async () => {
    response = Response.json(question);
    expect(await ask()).to.deep.equal(question);
    await ask();
    await ask('avery', 'another');
    await ask('blake', 'another');
    const bodies = ['secret', 'another', 'another'].map((invitation) => ({ invitation }));
    expect(requests).to.deep.equal(bodies.map((body) => ['POST', routes.join, body]));
  });

  it('is read as null if it is invalid', async () => {
    response = new Response('', { status: 404 });
    expect(await ask()).to.equal(null);
    expect(isOutdated(sessionQuery)).to.equal(false);
  });

  for (const [status, outcome] of [
    [204, 'joined'],
    [409, 'changed'],
  ] as const) {
    it(`is marked as outdated, together with the session, after a join with status ${status}, which returns \`${outcome}\``, async () => {
      response = Response.json(question);
      await ask();
      response = new Response(null, { status });
      expect(await join()).to.equal(outcome);
      expect(requests.at(-1)).to.deep.equal(['POST', routes.join, { invitation: 'secret', from: 'one', to: 'two' }]);
      expect([sessionQuery, joinQuestionQuery('avery', 'secret')].map(isOutdated)).to.deep.equal([true, true]);
    });
  }

  for (const status of [401, 500]) {
    it(`is neither read nor accepted with status ${status}, ${status === 401 ? 'which marks the session as outdated' : 'which leaves the session current'}`, async () => {
      response = new Response('', { status });
      expect(await ask().catch((error: Error) => error.message)).to.contain(`status ${status}`);
      expect(isOutdated(sessionQuery)).to.equal(status === 401);
      const error = await join().catch((thrown: unknown) => thrown);
      expect(error).to.be.instanceOf(Error);
      expect(error instanceof SessionRejectedError).to.equal(status === 401);
    });
  }
});
