import { onlineManager, type QueryClient, QueryObserver } from '@tanstack/react-query';
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { TabChannel } from '../../../client/device/tab-channel.ts';
import { createQueryClient, syncSignIn } from '../../../client/session/query-client.ts';
import { sessionQuery } from '../../../client/session/session.ts';
import type { Session } from '../../../shared/session.ts';
import { createFakeTabs } from '../device/fake-tabs.ts';
import { sessionOf } from './sessions.ts';

describe('createQueryClient', () => {
  it('sends requests even if the browser reports that it is offline', async () => {
    const queryClient = createQueryClient();
    onlineManager.setOnline(false);
    const mutation = queryClient.getMutationCache().build(queryClient, { mutationFn: async () => 'written' });
    const results = [
      queryClient.fetchQuery({ queryKey: ['any'], queryFn: () => 'read' }),
      mutation.execute(undefined),
    ].map((request) => Promise.race([request, settled()]));
    expect(await Promise.all(results)).to.deep.equal(['read', 'written']);
    onlineManager.setOnline(true);
    queryClient.clear();
  });
});

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('syncSignIn', () => {
  let queryClient: QueryClient;
  let otherTab: TabChannel;
  let announced: unknown[];
  /** The user that the service returns. */
  let userId: string | null;
  let readCount: number;
  let stop: () => void;

  beforeEach(() => {
    const openChannel = createFakeTabs();
    announced = [];
    otherTab = openChannel();
    otherTab.listen((id) => announced.push(id));
    readCount = 0;
    queryClient = createQueryClient();
    syncSignIn(queryClient, openChannel());
    const queryFn = () => {
      readCount += 1;
      return sessionOf(userId);
    };
    // Replaces the request for the session.
    queryClient.setQueryDefaults(sessionQuery.queryKey, { queryFn });
    stop = () => {};
  });

  afterEach(() => {
    stop();
    queryClient.clear();
  });

  async function show(id: string | null): Promise<void> {
    userId = id;
    const { queryFn: _, ...options } = sessionQuery;
    stop = new QueryObserver(queryClient, options).subscribe(() => {});
    await settled();
    expect(readCount).to.equal(1);
  }

  it('announces the user of each session that is read', async () => {
    await show('avery');
    expect(announced).to.deep.equal(['avery']);
    userId = 'blake';
    await queryClient.refetchQueries(sessionQuery);
    expect(announced).to.deep.equal(['avery', 'blake']);
  });

  it('announces nothing for a session without a user or for other queries', async () => {
    await show(null);
    queryClient.setQueryData(['another'], 'avery');
    expect(announced).to.deep.equal([]);
  });

  it('reads the session again when another tab announces a different user or a sign-out', async () => {
    await show('avery');
    userId = 'blake';
    otherTab.post('blake');
    await settled();
    expect(readCount).to.equal(2);
    userId = null;
    otherTab.post(null);
    await settled();
    expect(queryClient.getQueryData(sessionQuery.queryKey)?.user).to.equal(null);
  });

  it('requests the session again if another tab signs out during the first request', async () => {
    const responses = [Promise.withResolvers<Session>(), Promise.withResolvers<Session>()] as const;
    const queryFn = () => responses[readCount++]?.promise;
    queryClient.setQueryDefaults(sessionQuery.queryKey, { queryFn });
    const { queryFn: _, ...options } = sessionQuery;
    stop = new QueryObserver(queryClient, options).subscribe(() => {});
    await settled();
    otherTab.post(null);
    await settled();
    responses[1].resolve(sessionOf(null));
    responses[0].resolve(sessionOf('avery'));
    await settled();
    expect(queryClient.getQueryData(sessionQuery.queryKey)?.user).to.equal(null);
  });

  for (const [title, id] of [
    ['the same user', 'avery'],
    ['a user while none is signed in here', null],
  ] as const) {
    it(`does not read the session again when another tab announces ${title}`, async () => {
      await show(id);
      otherTab.post('avery');
      await settled();
      expect(readCount).to.equal(1);
    });
  }
});
