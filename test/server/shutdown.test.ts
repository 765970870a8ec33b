import { expect } from 'chai';
import { describe, it } from 'mocha';
import { pino } from 'pino';
import { createLateWrites } from '../../server/chat/late-writes.ts';
import { createHttpServer } from '../../server/http/http-server.ts';
import { createShutdown } from '../../server/shutdown.ts';

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
