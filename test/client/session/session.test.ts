import { mock } from 'node:test';
import { QueryClient } from '@tanstack/react-query';
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { isSignedOut, isUnreachable, sessionQuery } from '../../../client/session/session.ts';

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

  it('rejects as unreachable after 10 seconds without a response', async () => {
    const request = new QueryClient().fetchQuery(sessionQuery).catch((error: Error) => error);
    await Promise.resolve();
    mock.timers.tick(10_000);
    expect(isUnreachable((await request) as Error)).to.equal(true);
  });

  it('rejects after 3 seconds without a response when a reply was interrupted', async () => {
    const request = isSignedOut().catch((error: unknown) => error);
    mock.timers.tick(3_000);
    expect(await request).to.be.instanceOf(TypeError);
  });
});
