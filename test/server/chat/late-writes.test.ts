import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate } from 'node:timers/promises';
import { install } from '@sinonjs/fake-timers';
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { createLateWrites, type LateWrites } from '../../../server/chat/late-writes.ts';
import { createLogger } from '../../../server/http/logger.ts';
import { eventually } from '../../support/eventually.ts';

class PermanentError extends Error {}

const ownId = '01M7YH5HQYSF4KX2RHWVZVB3EN';
const lost = 'the process stopped before it could repeat a write; the write is lost';

describe('createLateWrites', () => {
  let lines: Record<string, unknown>[];
  let written: string[];
  let attempted: string[];
  let unavailable: boolean;
  let now: number;
  let lateWrites: LateWrites;

  beforeEach(() => {
    lines = [];
    written = [];
    attempted = [];
    unavailable = true;
    now = 0;
    lateWrites = create();
  });
  afterEach(async () => {
    unavailable = false;
    await lateWrites.drain(AbortSignal.timeout(5_000));
  });

  function create(options: { maxLate?: number; timeoutMilliseconds?: number } = {}) {
    return createLateWrites({
      logger: createLogger({ level: 'debug' }, { write: (line) => void lines.push(JSON.parse(line)) }),
      isFinal: (error) => error instanceof PermanentError,
      timeoutMilliseconds: 1,
      clock: () => now,
      ...options,
    });
  }

  type WriteOptions = { conversationId?: string; userId?: string; job?: () => Promise<void> };

  /** Writes `name`; fails during an outage. */
  function write(name: string, { conversationId = name, userId = 'avery', job }: WriteOptions = {}): Promise<void> {
    const writeName = async () => {
      attempted.push(name);
      if (unavailable) throw new Error('connection refused');
      written.push(name);
    };
    const ids = { requestId: `request ${name}`, ownId };
    return lateWrites.write({ userId, conversationId, ids, job: job ?? writeName });
  }

  const logged = (message: string) => lines.filter(({ msg }) => msg === message).map(({ requestId }) => requestId);

  it('runs each write in the async context of the request that added it', async () => {
    const request = new AsyncLocalStorage<string>();
    const madeIn: [string, string | undefined][] = [];
    const job = (name: string) => async () => {
      if (unavailable) throw new Error('connection refused');
      madeIn.push([name, request.getStore()]);
    };
    await Promise.all(['first', 'second'].map((name) => request.run(name, () => write(name, { job: job(name) }))));
    unavailable = false;
    await lateWrites.drain(AbortSignal.timeout(5_000));
    expect(madeIn).to.have.deep.members([
      ['first', 'first'],
      ['second', 'second'],
    ]);
  });

  it('retries a failed write until it succeeds, and logs the failure and the success', async () => {
    await write('a');
    expect(lateWrites.status()).to.include({ late: 1, lost: 0 });
    unavailable = false;
    await eventually(() => (written.includes('a') ? true : undefined));
    await eventually(() => (lateWrites.status().late === 0 ? true : undefined));
    expect(lateWrites.status().retried).to.be.greaterThan(0);
    const [failed, succeeded] = lines;
    expect(failed).to.include({ msg: 'a database write failed; retrying', requestId: 'request a' });
    expect(failed).to.have.nested.property('err.type');
    const attempts = attempted.length;
    expect(succeeded).to.include({ msg: 'late write succeeded', requestId: 'request a', attempts });
    expect(lines).to.have.length(2);
  });

  it('waits for a write that takes less than the timeout, and does not count that write as late', async () => {
    lateWrites = create({ maxLate: 1, timeoutMilliseconds: 600_000 });
    const database = Promise.withResolvers<void>();
    const order: string[] = [];
    const stored = database.promise.then(() => void order.push('stored'));
    const written = write('a', { conversationId: 'one', job: () => stored }).then(() => order.push('written'));
    const caughtUp = lateWrites.catchUp({ userId: 'avery', conversationId: 'one' }).then(() => order.push('caught up'));
    await setImmediate();
    expect(order).to.deep.equal([]);
    expect(lateWrites.isFull).to.equal(false);
    expect(lateWrites.status()).to.include({ late: 0 });
    database.resolve();
    await Promise.all([written, caughtUp]);
    expect(order[0]).to.equal('stored');
    expect(lines).to.deep.equal([]);
  });

  it('runs the writes of a conversation in order: a later write waits for the first', async () => {
    for (const name of ['1', '2', '3']) await write(name, { conversationId: 'one' });
    const before = attempted.length;
    await eventually(() => (attempted.length > before ? true : undefined));
    expect(new Set(attempted)).to.deep.equal(new Set(['1']));
    unavailable = false;
    await lateWrites.drain(AbortSignal.timeout(5_000));
    expect(written).to.deep.equal(['1', '2', '3']);
  });

  it('does not delay the writes of other conversations while a write of one conversation fails', async () => {
    const job = async () => {
      if (unavailable || !written.includes('b')) throw new Error('disk full');
      written.push('stuck');
    };
    await Promise.all([write('stuck', { job }), write('b')]);
    unavailable = false;
    await lateWrites.drain(AbortSignal.timeout(5_000));
    expect(written).to.deep.equal(['b', 'stuck']);
  });

  it('counts a write that is in flight at the deadline as lost only if it then fails', async () => {
    const [good, bad] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const inFlight = [write('good', { job: () => good.promise }), write('bad', { job: () => bad.promise })];
    await Promise.all([write('waiting'), ...inFlight]);
    await lateWrites.drain(AbortSignal.abort());
    expect(logged(lost)).to.deep.equal(['request waiting']);
    expect(logged('the process stopped during a write; the write may be lost')).to.deep.equal([
      'request good',
      'request bad',
    ]);
    good.resolve();
    bad.reject(new Error('connection refused'));
    await setImmediate();
    expect(logged(lost)).to.deep.equal(['request waiting', 'request bad']);
    expect(lateWrites.status()).to.include({ lost: 2 });
  });

  it('counts and logs a rejected write as lost, and continues with the next write of the conversation', async () => {
    await write('refused', { conversationId: 'one', job: () => Promise.reject(new PermanentError('a constraint')) });
    unavailable = false;
    await write('next', { conversationId: 'one' });
    expect(written).to.deep.equal(['next']);
    expect(lateWrites.status()).to.deep.equal({ late: 0, retried: 0, lost: 1, oldestSeconds: 0 });
    expect(logged('the database rejected a write; the write is lost')).to.deep.equal(['request refused']);
    expect(lines[0]).to.have.nested.property('err.type');
  });

  it('is full at the maximum number of late writes, still accepts writes, and is no longer full once they have succeeded', async () => {
    lateWrites = create({ maxLate: 2 });
    await write('a');
    expect(lateWrites.isFull).to.equal(false);
    await write('b');
    expect(lateWrites.isFull).to.equal(true);
    await write('c');
    unavailable = false;
    await lateWrites.drain(AbortSignal.timeout(5_000));
    expect(written).to.have.members(['a', 'b', 'c']);
    expect(lateWrites.isFull).to.equal(false);
  });

  it('reports how long the oldest late write has been pending', async () => {
    now = 1_000;
    await write('a');
    now = 31_000;
    await write('b');
    expect(lateWrites.status()).to.include({ late: 2, oldestSeconds: 30 });
  });

  it('catchUp retries only the late writes of the given user and conversation', async () => {
    await write('a', { conversationId: 'one' });
    await lateWrites.catchUp({ userId: 'casey', conversationId: 'one' });
    for (const conversationId of [undefined, null, 7, { toString: 1 }]) {
      await lateWrites.catchUp({ userId: 'avery', conversationId });
    }
    expect(attempted).to.deep.equal(['a']);
    unavailable = false;
    await lateWrites.catchUp({ userId: 'avery', conversationId: 'one' });
    expect(written).to.deep.equal(['a']);
  });

  it('catchUp stops waiting after the timeout', async () => {
    const database = Promise.withResolvers<void>();
    await write('a', { conversationId: 'one', job: () => database.promise });
    let caughtUp = false;
    void lateWrites.catchUp({ userId: 'avery', conversationId: 'one' }).then(() => {
      caughtUp = true;
    });
    try {
      await eventually(() => caughtUp || undefined);
      expect(lateWrites.status()).to.include({ late: 1, lost: 0 });
    } finally {
      database.resolve();
    }
  });

  it('drain still waits for the last write of a conversation once the previous write has succeeded', async () => {
    const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    for (const { promise } of [first, second]) {
      await write('a', { conversationId: 'one', job: () => promise });
    }
    first.resolve();
    await eventually(() => (lateWrites.status().late === 1 ? true : undefined));
    const drained = lateWrites.drain(AbortSignal.timeout(5_000));
    second.resolve();
    await drained;
    expect(lateWrites.status()).to.include({ late: 0, lost: 0 });
  });

  it('retries at least every two seconds, however long the outage lasts', async () => {
    const timers = install({ toFake: ['setTimeout', 'clearTimeout'], shouldClearNativeTimers: true });
    try {
      const first = write('a');
      await timers.tickAsync(60_000);
      await first;
      const before = attempted.length;
      await timers.tickAsync(2_000);
      expect(attempted).to.have.length(before + 1);
      expect(logged('a database write failed; retrying')).to.have.length(1);
      unavailable = false;
      await timers.tickAsync(2_000);
      expect(written).to.deep.equal(['a']);
    } finally {
      timers.uninstall();
    }
  });

  it('drain retries writes until the deadline, then logs the rest as lost', async () => {
    for (const name of ['a', 'b']) await write(name, { conversationId: 'one' });
    const deadline = new AbortController();
    const drained = lateWrites.drain(deadline.signal);
    const before = attempted.length;
    await eventually(() => (attempted.length > before + 1 ? true : undefined));
    deadline.abort();
    await drained;
    expect(written).to.deep.equal([]);
    expect(lateWrites.status().lost).to.equal(2);
    expect(logged(lost)).to.deep.equal(['request a', 'request b']);
    lateWrites = create();
  });
});
