import { once } from 'node:events';
import { connect } from 'node:net';
import { setImmediate as nextLoopRound } from 'node:timers/promises';
import { type Clock, install } from '@sinonjs/fake-timers';
import { expect } from 'chai';
import { afterEach, describe, it } from 'mocha';
import { pino } from 'pino';
import { createLateWrites } from '../../../server/chat/late-writes.ts';
import { createHttpServer, listen } from '../../../server/http/http-server.ts';
import { closeServer, createShutdown } from '../../../server/startup/shutdown.ts';

const logger = pino({ level: 'silent' });

type Replaced = {
  http?: ReturnType<typeof createHttpServer>;
  shutdown?: ReturnType<typeof createShutdown>;
  delayMilliseconds?: number;
  graceMilliseconds?: number;
  allFinished?: () => Promise<void>;
  drain?: (deadline: AbortSignal) => Promise<void>;
  close?: () => Promise<void>;
};

/** Starts an immediate stop of a server without connections, with some parts replaced. */
function startStop(replaced: Replaced) {
  const nothing = async () => undefined;
  const {
    delayMilliseconds = 1_000,
    graceMilliseconds = 30_000,
    close = nothing,
    shutdown = createShutdown(),
  } = replaced;
  const { http = createHttpServer({ maxConnections: 100, logger }), allFinished = http.requests.allFinished } =
    replaced;
  const lateWrites = createLateWrites({ logger, isFinal: () => false });
  return shutdown.stop(
    {
      ...http,
      config: { shutdownDelayMilliseconds: delayMilliseconds, shutdownGraceMilliseconds: graceMilliseconds },
      requests: { ...http.requests, allFinished },
      lateWrites: Object.assign(lateWrites, replaced.drain && { drain: replaced.drain }),
      close,
    },
    { atOnce: true },
  );
}

let clock: Clock | undefined;
afterEach(() => {
  clock?.uninstall();
  clock = undefined;
});

function installClock(): Clock {
  const toFake = ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] as const;
  clock = install({ toFake: [...toFake], shouldClearNativeTimers: true });
  return clock;
}

describe('stop', () => {
  it('stores late writes after the last request has finished, and closes the other dependencies last', async () => {
    const steps: string[] = [];
    /** Each step takes fewer rounds of the event loop than the one before, so that one that does not wait overtakes it. */
    const step = (name: string, rounds: number) => async () => {
      for (let round = 0; round < rounds; round += 1) await nextLoopRound();
      steps.push(name);
    };
    await startStop({
      delayMilliseconds: 600_000,
      graceMilliseconds: 600_000,
      allFinished: step('requests have finished', 9),
      drain: step('late writes are stored', 5),
      close: step('parts are closed', 1),
    });
    expect(steps).to.deep.equal(['requests have finished', 'late writes are stored', 'parts are closed']);
  });

  it('retries late writes until 15 s after the delay and the grace period, even if no reply is in flight', async () => {
    const clock = installClock();
    const retrying = Promise.withResolvers<AbortSignal>();
    const ended = Promise.withResolvers<void>();
    const stopped = startStop({
      drain(deadline) {
        retrying.resolve(deadline);
        return ended.promise;
      },
    });
    const deadline = await retrying.promise;
    clock.tick(45_999);
    expect(deadline.aborted).to.equal(false);
    clock.tick(1);
    expect(deadline.aborted).to.equal(true);
    ended.resolve();
    await stopped;
  });

  it('drops a request that never finishes at the deadline for writes, and then closes the other dependencies', async () => {
    const clock = installClock();
    const waiting = Promise.withResolvers<void>();
    let isClosed = false;
    const stopped = startStop({
      allFinished() {
        waiting.resolve();
        return new Promise<never>(() => undefined);
      },
      async close() {
        isClosed = true;
      },
    });
    await waiting.promise;
    clock.tick(46_000);
    await stopped;
    expect(isClosed).to.equal(true);
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
    return http;
  }

  it('closes silent connections long before the grace period ends if the stop is immediate', async () => {
    const http = await createServerWithSilentClient();
    const shutdown = createShutdown();
    await startStop({ http, shutdown, delayMilliseconds: 0, graceMilliseconds });
    expect(shutdown.draining.aborted).to.equal(true);
    expect(shutdown.graceEnded.aborted).to.equal(false);
  });

  it('closes all connections five seconds after the grace period', async () => {
    const { server, connections } = await createServerWithSilentClient();
    const { signal: draining } = new AbortController();
    const graceEnded = new AbortController();
    const clock = installClock();
    const closing = Promise.withResolvers<void>();
    const close = server.close.bind(server);
    server.close = (done) => {
      closing.resolve();
      return close(done);
    };
    const closed = closeServer(server, { connections, graceMilliseconds, draining, graceEnded });
    await closing.promise;
    clock.tick(graceMilliseconds + 5_000);
    await closed;
    expect(graceEnded.signal.aborted).to.equal(true);
  });
});
