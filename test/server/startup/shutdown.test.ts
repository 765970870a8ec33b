import { once } from 'node:events';
import { connect } from 'node:net';
import { setImmediate as nextLoopRound } from 'node:timers/promises';
import { install } from '@sinonjs/fake-timers';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { pino } from 'pino';
import { createLateWrites } from '../../../server/chat/late-writes.ts';
import { createHttpServer, listen } from '../../../server/http/http-server.ts';
import { closeServer, createShutdown } from '../../../server/startup/shutdown.ts';

const logger = pino({ level: 'silent' });

describe('stop', () => {
  it('stores late writes after the last request has finished, and closes the other dependencies last', async () => {
    const steps: string[] = [];
    /** Each step takes fewer rounds of the event loop than the one before, so that one that does not wait overtakes it. */
    const step = (name: string, rounds: number) => async () => {
      for (let round = 0; round < rounds; round += 1) await nextLoopRound();
      steps.push(name);
    };
    const { server, connections, requests } = createHttpServer({ maxConnections: Infinity, logger });
    const lateWrites = createLateWrites({ logger, isFinal: () => false });
    await createShutdown().stop(
      {
        config: { shutdownDelayMilliseconds: 600_000, shutdownGraceMilliseconds: 600_000 },
        server,
        connections,
        requests: { ...requests, allFinished: step('requests have finished', 9) },
        lateWrites: Object.assign(lateWrites, { drain: step('late writes are stored', 5) }),
        close: step('parts are closed', 1),
      },
      { atOnce: true },
    );
    expect(steps).to.deep.equal(['requests have finished', 'late writes are stored', 'parts are closed']);
  });
});

describe('stop with answers that are not in the database yet', () => {
  it('retries them until 15 s after the delay and the grace period, even if no reply is in flight', async () => {
    const clock = install({
      toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'],
      shouldClearNativeTimers: true,
    });
    try {
      const retrying = Promise.withResolvers<AbortSignal>();
      const ended = Promise.withResolvers<void>();
      const { server, connections, requests } = createHttpServer({ maxConnections: 100, logger });
      const lateWrites = createLateWrites({ logger, isFinal: () => false });
      const stopped = createShutdown().stop(
        {
          config: { shutdownDelayMilliseconds: 1_000, shutdownGraceMilliseconds: 30_000 },
          server,
          connections,
          requests: { ...requests, allFinished: async () => undefined },
          lateWrites: Object.assign(lateWrites, {
            drain(deadline: AbortSignal) {
              retrying.resolve(deadline);
              return ended.promise;
            },
          }),
          close: async () => undefined,
        },
        { atOnce: true },
      );
      const deadline = await retrying.promise;
      clock.tick(45_999);
      expect(deadline.aborted).to.equal(false);
      clock.tick(1);
      expect(deadline.aborted).to.equal(true);
      ended.resolve();
      await stopped;
    } finally {
      clock.uninstall();
    }
  });
});

describe('stop with a request that never finishes', () => {
  it('drops the request at the deadline for writes, and then closes the other dependencies', async () => {
    const clock = install({
      toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'],
      shouldClearNativeTimers: true,
    });
    try {
      const waiting = Promise.withResolvers<void>();
      let isClosed = false;
      const { server, connections, requests } = createHttpServer({ maxConnections: 100, logger });
      const stopped = createShutdown().stop(
        {
          config: { shutdownDelayMilliseconds: 1_000, shutdownGraceMilliseconds: 30_000 },
          server,
          connections,
          requests: {
            ...requests,
            allFinished() {
              waiting.resolve();
              return new Promise<never>(() => undefined);
            },
          },
          lateWrites: createLateWrites({ logger, isFinal: () => false }),
          async close() {
            isClosed = true;
          },
        },
        { atOnce: true },
      );
      await waiting.promise;
      clock.tick(46_000);
      await stopped;
      expect(isClosed).to.equal(true);
    } finally {
      clock.uninstall();
    }
  });
});

describe('closeServer', () => {
  /** Longer than any test. */
  const never = 600_000;
  const graceMilliseconds = never;

  async function createServerWithSilentClient() {
    const http = createHttpServer({
      maxConnections: Infinity,
      timeouts: { headers: never, request: never, stall: never },
      logger,
    });
    const port = await listen(http.server, { host: '127.0.0.1', port: 0 });
    const accepted = once(http.server, 'connection');
    connect(port, '127.0.0.1').resume();
    await accepted;
    return { ...http, graceEnded: new AbortController(), draining: new AbortController() };
  }

  it('closes silent connections as soon as requests are refused', async () => {
    const { server, connections, draining, graceEnded } = await createServerWithSilentClient();
    draining.abort();
    await closeServer(server, { connections, graceMilliseconds, draining: draining.signal, graceEnded });
    expect(graceEnded.signal.aborted).to.equal(false);
  });

  it('closes silent connections long before the grace period ends if the stop is immediate', async () => {
    const { server, connections, requests } = await createServerWithSilentClient();
    const shutdown = createShutdown();
    await shutdown.stop(
      {
        config: { shutdownDelayMilliseconds: 0, shutdownGraceMilliseconds: graceMilliseconds },
        server,
        connections,
        requests,
        lateWrites: createLateWrites({ logger, isFinal: () => false }),
        close: async () => undefined,
      },
      { atOnce: true },
    );
    expect(shutdown.draining.aborted).to.equal(true);
    expect(shutdown.graceEnded.aborted).to.equal(false);
  });

  it('closes all connections five seconds after the grace period', async () => {
    const { server, connections, draining, graceEnded } = await createServerWithSilentClient();
    const clock = install({
      toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'],
      shouldClearNativeTimers: true,
    });
    try {
      const closing = Promise.withResolvers<void>();
      const close = server.close.bind(server);
      server.close = (done) => {
        closing.resolve();
        return close(done);
      };
      const closed = closeServer(server, { connections, graceMilliseconds, draining: draining.signal, graceEnded });
      await closing.promise;
      clock.tick(graceMilliseconds + 5_000);
      await closed;
      expect(graceEnded.signal.aborted).to.equal(true);
    } finally {
      clock.uninstall();
    }
  });
});
