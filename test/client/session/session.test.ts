import { mock } from 'node:test';
import { onlineManager, QueryClient, QueryObserver } from '@tanstack/react-query';
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { isSignedOut, isUnreachable, sessionQuery } from '../../../client/session/session.ts';
import { sessionOf } from './sessions.ts';

describe('The session request', () => {
  const { fetch } = globalThis;
  const { timeout } = AbortSignal;

  beforeEach(() => {
    mock.timers.enable({ apis: ['setTimeout'] });
    // WebKit can collect this signal before it fires.
    AbortSignal.timeout = () => new AbortController().signal;
    globalThis.fetch = (_url, init) =>
      new Promise((_resolve, reject) => {
        const { signal } = init ?? {};
        signal?.addEventListener('abort', () => reject(signal.reason));
      });
  });

  afterEach(() => {
    mock.timers.reset();
    Object.assign(globalThis, { fetch });
    AbortSignal.timeout = timeout;
  });

  /** Returns the error with which `request` rejects, and the milliseconds from its call until then, to the second. */
  async function rejectsAfter(request: () => Promise<unknown>): Promise<{ error: unknown; milliseconds: number }> {
    let error: unknown;
    request().catch((thrown: unknown) => {
      error = thrown;
    });
    for (let milliseconds = 0; milliseconds < 60_000; milliseconds += 1000) {
      await settled();
      if (error !== undefined) return { error, milliseconds };
      mock.timers.tick(1000);
    }
    throw new Error('The request did not reject.');
  }

  for (const [sender, request, expected] of [
    ['by the page', () => new QueryClient().fetchQuery(sessionQuery), 10_000],
    ['by isSignedOut', isSignedOut, 3_000],
  ] as const) {
    it(`rejects as unreachable after ${expected} ms without a response if it is sent ${sender}`, async () => {
      const { error, milliseconds } = await rejectsAfter(request);
      expect(isUnreachable(error as Error)).to.equal(true);
      expect(milliseconds).to.equal(expected);
    });
  }
});

describe('The session', () => {
  const { fetch } = globalThis;
  let queryClient: QueryClient;
  let response: () => Response;
  let requestCount: number;
  let stop: () => void;

  beforeEach(() => {
    mock.timers.enable({ apis: ['Date'] });
    queryClient = new QueryClient();
    requestCount = 0;
    response = () => Response.json(sessionOf('avery'));
    globalThis.fetch = async () => {
      requestCount += 1;
      return response();
    };
    stop = () => {};
  });

  afterEach(() => {
    stop();
    onlineManager.setOnline(true);
    mock.timers.reset();
    Object.assign(globalThis, { fetch });
    queryClient.clear();
  });

  it('has ended if the service reports no user', async () => {
    expect(await isSignedOut()).to.equal(false);
    response = () => Response.json(sessionOf(null));
    expect(await isSignedOut()).to.equal(true);
  });

  it('is reported as ended until its user is back, but not after a sign-out on the page or if there was no user before', async () => {
    const read = () => queryClient.fetchQuery({ ...sessionQuery, staleTime: 0 });
    const signedOut = () => Response.json(sessionOf(null));
    response = signedOut;
    expect(await read()).to.deep.equal(sessionOf(null));
    response = () => Response.json(sessionOf('avery'));
    await read();
    response = signedOut;
    expect(await read()).to.deep.equal({ ...sessionOf(null), hasEnded: true });
    expect(await read()).to.deep.equal({ ...sessionOf(null), hasEnded: true });
    response = () => Response.json(sessionOf('avery'));
    expect(await read()).to.deep.equal(sessionOf('avery'));
    queryClient.setQueryData(sessionQuery.queryKey, sessionOf(null));
    response = signedOut;
    expect(await read()).to.deep.equal(sessionOf(null));
  });

  it('is unknown after an error status, but the service does not count as unreachable', async () => {
    response = () => Response.json(sessionOf(null), { status: 503 });
    const error = await isSignedOut().catch((thrown: Error) => thrown);
    expect(error).to.be.instanceOf(Error);
    expect(isUnreachable(error as Error)).to.equal(false);
  });

  it('is requested only once within 5 seconds', async () => {
    expect(await queryClient.fetchQuery(sessionQuery)).to.deep.equal(sessionOf('avery'));
    mock.timers.tick(4_999);
    await queryClient.fetchQuery(sessionQuery);
    expect(requestCount).to.equal(1);
    mock.timers.tick(1);
    await queryClient.fetchQuery(sessionQuery);
    expect(requestCount).to.equal(2);
  });

  it('is requested again when the network returns, however recent the latest response is', async () => {
    queryClient.mount();
    stop = new QueryObserver(queryClient, sessionQuery).subscribe(() => {});
    await settled();
    onlineManager.setOnline(false);
    onlineManager.setOnline(true);
    await settled();
    expect(requestCount).to.equal(2);
    queryClient.unmount();
  });

  for (const [status, milliseconds] of [
    [200, false],
    [503, 10_000],
  ] as const) {
    it(`is ${milliseconds ? `requested every ${milliseconds / 1000} seconds` : 'not requested at intervals'} after a response with status ${status}`, async () => {
      response = () => Response.json(sessionOf(null), { status });
      await queryClient.fetchQuery(sessionQuery).catch(() => undefined);
      const refetchInterval = sessionQuery.refetchInterval as unknown as (query: unknown) => number | false;
      expect(refetchInterval(queryClient.getQueryCache().find(sessionQuery))).to.equal(milliseconds);
    });
  }
});

const settled = () => new Promise((resolve) => setImmediate(resolve));
