import { type QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { joinQuestionQuery, useJoin } from '../../../client/session/invitation.ts';
import { createQueryClient } from '../../../client/session/query-client.ts';
import { SessionRejectedError, sessionQuery } from '../../../client/session/session.ts';
import { routes } from '../../../shared/interface.ts';

const { fetch } = globalThis;
const question = { from: { id: 'one', name: 'One' }, to: { id: 'two', name: 'Two' } };
let queryClient: QueryClient;
let response: Response;
let requests: unknown[];

describe('an invitation to another organization', () => {
  beforeEach(() => {
    queryClient = createQueryClient();
    queryClient.setQueryData(sessionQuery.queryKey, { user: null, providers: [] });
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
  const isSessionOutdated = () => queryClient.getQueryState(sessionQuery.queryKey)?.isInvalidated;

  describe('joinQuestionQuery', () => {
    it('reads the organizations of the invitation without joining', async () => {
      response = Response.json(question);
      expect(await ask()).to.deep.equal(question);
      expect(requests).to.deep.equal([['POST', routes.join, { invitation: 'secret' }]]);
    });

    it('sends another request for another user and for another invitation', async () => {
      response = Response.json(question);
      for (const [userId, invitation] of [
        ['avery', 'secret'],
        ['avery', 'another'],
        ['blake', 'another'],
      ] as const) {
        await ask(userId, invitation);
      }
      expect(requests).to.have.length(3);
    });

    it('returns null for an invalid invitation', async () => {
      response = new Response('', { status: 404 });
      expect(await ask()).to.equal(null);
      expect(isSessionOutdated()).to.equal(false);
    });

    for (const [status, isOutdated] of [
      [401, true],
      [500, false],
    ] as const) {
      it(`rejects with status ${status}, and ${isOutdated ? 'marks the session as outdated' : 'leaves the session current'}`, async () => {
        response = new Response('', { status });
        expect(await ask().catch((error: Error) => error.message)).to.contain(`status ${status}`);
        expect(isSessionOutdated()).to.equal(isOutdated);
      });
    }
  });

  describe('useJoin', () => {
    /** Renders the hook, and joins with it. */
    function join(): Promise<'joined' | 'changed'> {
      let mutate: ReturnType<typeof useJoin>['mutateAsync'] | undefined;
      const Page = () => {
        mutate = useJoin('avery', 'secret').mutateAsync;
        return null;
      };
      renderToStaticMarkup(createElement(QueryClientProvider, { client: queryClient }, createElement(Page)));
      if (mutate === undefined) throw new Error('The hook was not rendered.');
      return mutate({ from: 'one', to: 'two' });
    }

    const isQuestionOutdated = () =>
      queryClient.getQueryState(joinQuestionQuery('avery', 'secret').queryKey)?.isInvalidated;

    for (const [status, outcome] of [
      [204, 'joined'],
      [409, 'changed'],
    ] as const) {
      it(`resolves with \`${outcome}\` after status ${status}, and marks the session and the invitation as outdated`, async () => {
        response = Response.json(question);
        await ask();
        requests = [];
        response = new Response(null, { status });
        expect(await join()).to.equal(outcome);
        const body = { invitation: 'secret', from: 'one', to: 'two' };
        expect(requests).to.deep.equal([['POST', routes.join, body]]);
        expect([isSessionOutdated(), isQuestionOutdated()]).to.deep.equal([true, true]);
      });
    }

    for (const [status, isRejected] of [
      [401, true],
      [500, false],
    ] as const) {
      it(`rejects after status ${status} with ${isRejected ? 'a SessionRejectedError' : 'another error'}`, async () => {
        response = new Response(null, { status });
        const error = await join().catch((thrown: unknown) => thrown);
        expect(error).to.be.instanceOf(Error);
        expect(error instanceof SessionRejectedError).to.equal(isRejected);
      });
    }
  });
});
