import { once } from 'node:events';
import { connect } from 'node:net';
import { install } from '@sinonjs/fake-timers';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { pino } from 'pino';
import { createLateWrites } from '../../server/chat/late-writes.ts';
import { createHttpServer, listen } from '../../server/http/http-server.ts';
import { createShutdown, drain } from '../../server/shutdown.ts';

const logger = pino({ level: 'silent' });

describe('stop', () => {
  it('writes what is pending only after the last request is over, and closes the other parts last', async () => {
    const steps: string[] = [];
    /** Finishes later than a step that does not wait for it would begin. */
    const step = (name: string) => async () => {
      await new Promise((resolve) => setImmediate(resolve));
      steps.push(name);
    };
    const { server, connections, requests } = createHttpServer({ logger });
    const lateWrites = createLateWrites({ logger, isFinal: () => false });
    await createShutdown().stop(
      {
        config: { shutdownDelayMilliseconds: 600_000, shutdownGraceMilliseconds: 600_000 },
        server,
        connections,
        requests: { ...requests, over: step('requests are over') },
        lateWrites: Object.assign(lateWrites, { drain: step('late writes are made') }),
        close: step('parts are closed'),
      },
      { atOnce: true },
    );
    expect(steps).to.deep.equal(['requests are over', 'late writes are made', 'parts are closed']);
  });
});

describe('drain', () => {
  /** Longer than any test. */
  const never = 600_000;
  const graceMilliseconds = never;
  /** A client that sends nothing does not see that there is no certificate. */
  const tls = { cert: '', key: '' };

  /** A server with a client that has connected and sends nothing. */
  async function createServerWithSilentClient(options: { tls?: typeof tls }) {
    const http = createHttpServer({ ...options, headersTimeout: never, requestTimeout: never, logger });
    const port = await listen(http.server, { host: '127.0.0.1', port: 0 });
    const accepted = once(http.server, 'connection');
    connect(port, '127.0.0.1').resume();
    await accepted;
    return { ...http, cut: new AbortController(), draining: new AbortController() };
  }

  for (const [kind, options] of [
    ['plain', {}],
    ['encrypted', { tls }],
  ] as const) {
    it(`waits for no ${kind} connection that is silent once requests are refused`, async () => {
      const { server, connections, draining, cut } = await createServerWithSilentClient(options);
      draining.abort();
      await drain(server, { connections, graceMilliseconds, draining: draining.signal, cut });
      expect(cut.signal.aborted).to.equal(false);
    });

    it(`closes every ${kind} connection five seconds after the grace period`, async () => {
      const { server, connections, draining, cut } = await createServerWithSilentClient(options);
      const clock = install({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
      try {
        const closing = Promise.withResolvers<void>();
        const close = server.close.bind(server);
        server.close = (done) => {
          closing.resolve();
          return close(done);
        };
        const drained = drain(server, { connections, graceMilliseconds, draining: draining.signal, cut });
        await closing.promise;
        clock.tick(graceMilliseconds + 5_000);
        await drained;
        expect(cut.signal.aborted).to.equal(true);
      } finally {
        clock.uninstall();
      }
    });
  }
});
