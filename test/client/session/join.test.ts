import type { QueryClient } from '@tanstack/react-query';
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { joinQuestionQuery } from '../../../client/session/join.ts';
import { createQueryClient } from '../../../client/session/query-client.ts';
import { sessionQuery } from '../../../client/session/session.ts';

describe('joinQuestionQuery', () => {
  const { fetch } = globalThis;
  let queryClient: QueryClient;
  let response: Response;
  let body: unknown;

  beforeEach(() => {
    queryClient = createQueryClient();
    queryClient.setQueryData(sessionQuery.queryKey, { user: null, providers: [] });
    globalThis.fetch = async (_url, init) => {
      body = JSON.parse(String(init?.body));
      return response;
    };
  });

  afterEach(() => {
    Object.assign(globalThis, { fetch });
    queryClient.clear();
  });

  const ask = () => queryClient.fetchQuery({ ...joinQuestionQuery('avery', 'secret'), retry: false });
  const isSessionOutdated = () => queryClient.getQueryState(sessionQuery.queryKey)?.isInvalidated;

  it('asks for the organizations of the invitation, without joining', async () => {
    const question = { from: { id: 'one', name: 'One' }, to: { id: 'two', name: 'Two' } };
    response = Response.json(question);
    expect(await ask()).to.deep.equal(question);
    expect(body).to.deep.equal({ invitation: 'secret' });
  });

  it('returns null for an invitation that is not valid', async () => {
    response = new Response('', { status: 404 });
    expect(await ask()).to.equal(null);
    expect(isSessionOutdated()).to.equal(false);
  });

  for (const [status, isOutdated] of [
    [401, true],
    [500, false],
  ] as const) {
    it(`rejects with status ${status}, and the session is ${isOutdated ? 'outdated' : 'current'}`, async () => {
      response = new Response('', { status });
      expect(await ask().catch((error: Error) => error.message)).to.contain(`status ${status}`);
      expect(isSessionOutdated()).to.equal(isOutdated);
    });
  }
});
