import { type Clock, install } from '@sinonjs/fake-timers';
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { type Client, callFunction } from '../../../../server/database/native-client.ts';
import {
  createOutageDetector,
  isPermanentError,
  isUnavailable,
  type OutageDetector,
  retryWhileUnavailable,
  unavailableReason,
} from '../../../../server/database/serving/outage.ts';
import type { Scope } from '../../../../server/database/tenant.ts';
import { createLogger } from '../../../../server/http/logger.ts';
import { auditSource, signInDetails } from '../../../support/people.ts';
import { perTest } from '../../../support/per-suite.ts';
import { exampleOnboarding } from '../../../support/test-app.ts';
import { createTestDatabase, type TestDatabase } from '../../../support/test-database.ts';
import { ask, newcomer, refusal } from '../scenes.ts';

const withCode = (code: string) => Object.assign(new Error('any message'), { code });

describe('isUnavailable and isPermanentError', () => {
  for (const [title, errors, expected] of [
    [
      'a failed connection',
      [
        ...['ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT', 'ENOENT', 'ENOTFOUND', 'EAI_AGAIN'],
        ...['EHOSTUNREACH', 'EHOSTDOWN', 'ENETUNREACH', 'ENETDOWN'],
      ].map(withCode),
      { unavailable: true, permanent: false },
    ],
    [
      'a server that is starting, stopping or a standby',
      ['08001', '08006', '08P01', '57P01', '57P02', '57P03', '57P05', '25006', '53300'].map(withCode),
      { unavailable: true, permanent: false },
    ],
    [
      'a connection without a response',
      [
        'Connection terminated',
        'Connection terminated unexpectedly',
        'Connection terminated due to connection timeout',
        'Client has encountered a connection error and is not queryable',
        'timeout expired',
        'timeout exceeded when trying to connect',
        'Query read timeout',
      ].map((sentence) => new Error(sentence)),
      { unavailable: true, permanent: false },
    ],
    [
      'an invalid value or a constraint violation',
      ['22003', '22021', '22P02', '23502', '23503', '23505'].map(withCode),
      { unavailable: false, permanent: true },
    ],
    [
      'another refusal of a statement',
      ['28P01', '3D000', '40P01', '42501', '42P01', '53100', '55P03', '57014', 'EACCES'].map(withCode),
      { unavailable: false, permanent: false },
    ],
    [
      'an error of the application',
      [new Error('connection refused'), '57P01', '23505', undefined, null],
      { unavailable: false, permanent: false },
    ],
  ] as const) {
    it(`classify ${title}`, () => {
      for (const error of errors) {
        const found = { unavailable: isUnavailable(error), permanent: isPermanentError(error) };
        expect(found, String((error as { code?: string })?.code ?? error)).to.deep.equal(expected);
      }
    });
  }

  it('classify a function that returns no row as unavailable', async () => {
    const noRows: Client = { query: async () => ({ rows: [] }) };
    const error = await refusal(callFunction(noRows, 'find_session', { session_id: 'one' }));
    expect(isUnavailable(error)).to.equal(true);
  });
});

const refused = withCode('ECONNREFUSED');
const readOnly = withCode('25006');

/** The outcome of a call; empty while it is pending. */
type Outcome = { value?: unknown; error?: unknown };

describe('createOutageDetector', () => {
  let clock: Clock;
  let lines: string[];
  /** The lengths of the logged outages. */
  let seconds: number[];
  /** Makes every statement fail with this error. If `acceptsWrites` is false, writes fail as on a standby. */
  let failure: Error | undefined;
  let acceptsWrites: boolean;
  let attempts: number;
  let outage: OutageDetector;
  let reads: Client;
  let writes: Client;

  beforeEach(() => {
    clock = install({ toFake: ['setTimeout', 'clearTimeout', 'performance'], shouldClearNativeTimers: true });
    lines = [];
    seconds = [];
    failure = undefined;
    acceptsWrites = true;
    attempts = 0;
    const write = (text: string) => {
      const line = JSON.parse(text);
      lines.push(line.msg);
      if (line.seconds !== undefined) seconds.push(line.seconds);
    };
    outage = createOutageDetector(createLogger({ level: 'info' }, { write }));
    reads = watched('read', () => failure);
    writes = watched('write', () => failure ?? (acceptsWrites ? undefined : readOnly));
  });
  afterEach(() => clock.uninstall());

  const watched = (kind: 'read' | 'write', failing: () => Error | undefined) =>
    outage.watch(kind, {
      async query() {
        const error = failing();
        if (error !== undefined) throw error;
        return { rows: [] };
      },
    });

  async function write(): Promise<string> {
    attempts += 1;
    await writes.query('insert', []);
    return 'answer';
  }

  function begin(work: () => Promise<unknown> = write, signals: readonly AbortSignal[] = []): Outcome {
    const outcome: Outcome = {};
    outage.retry(work, signals).then(
      (value) => Object.assign(outcome, { value }),
      (error) => Object.assign(outcome, { error }),
    );
    return outcome;
  }

  it('retries a failed call twice a second', async () => {
    failure = refused;
    const outcome = begin();
    await clock.tickAsync(9_000);
    expect(outcome).to.deep.equal({});
    expect(attempts).to.equal(19);
    failure = undefined;
    await clock.tickAsync(1_000);
    expect(outcome).to.deep.equal({ value: 'answer' });
    expect(lines).to.deep.equal(['database unavailable; turns wait up to 10 s', 'database available again']);
  });

  it('retries for ten seconds from the start of the outage, even for later calls', async () => {
    failure = refused;
    const early = begin();
    await clock.tickAsync(7_000);
    const late = begin();
    await clock.tickAsync(2_900);
    expect([early, late]).to.deep.equal([{}, {}]);
    await clock.tickAsync(100);
    expect([early, late]).to.deep.equal([{ error: refused }, { error: refused }]);
  });

  it('measures the outage from the time at which the first failed statement was sent', async () => {
    const slow: Client = { query: () => new Promise((_, reject) => setTimeout(reject, 4_000, refused)) };
    const outcome = begin(() => outage.watch('write', slow).query('insert', []));
    await clock.tickAsync(12_000);
    expect(outcome).to.deep.equal({});
    await clock.tickAsync(1_000);
    expect(outcome).to.deep.equal({ error: refused });
  });

  it('ends the outage with the next success, and waits again during the next outage', async () => {
    failure = refused;
    begin();
    await clock.tickAsync(60_000);
    failure = undefined;
    await reads.query('select', []);
    failure = refused;
    const next = begin();
    await clock.tickAsync(9_000);
    expect(next).to.deep.equal({});
    failure = undefined;
    await clock.tickAsync(1_000);
    expect(next).to.deep.equal({ value: 'answer' });
  });

  it('waits again after a new failure if the last failure was hours ago and no success has followed it', async () => {
    acceptsWrites = false;
    await refusal(write());
    await clock.tickAsync(3 * 3_600_000);
    const next = begin(write);
    await clock.tickAsync(9_000);
    expect(next).to.deep.equal({});
    acceptsWrites = true;
    await clock.tickAsync(1_000);
    expect(next).to.have.property('value');
  });

  it('logs the start, the cause and the end of each outage once, with its length, and counts refused connections', async () => {
    const succeed = async () => {
      await reads.query('select', []);
      await write();
    };
    const fail = () => Promise.allSettled([write(), write()]);
    await succeed();
    expect(lines).to.deep.equal([]);
    failure = refused;
    await fail();
    await clock.tickAsync(7_000);
    failure = undefined;
    await succeed();
    acceptsWrites = false;
    await fail();
    await reads.query('select', []);
    acceptsWrites = true;
    await succeed();
    failure = withCode('53300');
    await fail();
    failure = undefined;
    await succeed();
    expect(lines).to.deep.equal([
      'database unavailable; turns wait up to 10 s',
      'database available again',
      'database is read-only; turns wait up to 10 s',
      'database available again',
      'database has no free connection; turns wait up to 10 s',
      'database available again',
    ]);
    expect(seconds).to.deep.equal([7, 0, 0]);
    expect(outage.connectionsRefused).to.equal(2);
  });

  it('ends the outage with a read if the database was at first read-only and is unreachable afterwards', async () => {
    acceptsWrites = false;
    await refusal(write());
    failure = refused;
    await refusal(write());
    failure = undefined;
    await reads.query('select', []);
    expect(lines.at(-1)).to.equal('database available again');
  });

  describe('writeFailure', () => {
    const fromServer = (code: string) => Object.assign(new Error('refused'), { code, severity: 'ERROR' });
    const fail = async (error: Error, client = writes) => {
      failure = error;
      await client.query('a statement', []).catch(() => undefined);
      failure = undefined;
    };

    it('is the error of the last write that the server could not execute, until a write succeeds', async () => {
      const diskFull = fromServer('53100');
      await fail(diskFull);
      await reads.query('select', []);
      expect(outage.writeFailure).to.equal(diskFull);
      await writes.query('insert', []);
      expect(outage.writeFailure).to.equal(undefined);
    });

    it('is undefined after five minutes without a write', async () => {
      await fail(fromServer('53100'));
      await clock.tickAsync(300_001);
      expect(outage.writeFailure).to.equal(undefined);
    });

    it('ignores writes that only waited for a lock or violated a constraint, and failed reads', async () => {
      for (const code of ['57014', '55P03', '23505']) await fail(fromServer(code));
      await fail(fromServer('53100'), reads);
      expect(outage.writeFailure).to.equal(undefined);
    });
  });

  it('isAnswering is true for eleven seconds after a result or an error of the server, but not after a connection error', async () => {
    const answers = async (error: Error) => {
      await clock.tickAsync(11_001);
      failure = error;
      await reads.query('select', []).catch(() => undefined);
      return outage.isAnswering;
    };
    expect(outage.isAnswering).to.equal(false);
    await reads.query('select', []);
    expect(outage.isAnswering).to.equal(true);
    expect(await answers(new Error('timeout exceeded when trying to connect'))).to.equal(false);
    expect(await answers(Object.assign(new Error('canceled'), { code: '57014', severity: 'ERROR' }))).to.equal(true);
  });

  it('does not end the outage with a read while the server is read-only', async () => {
    acceptsWrites = false;
    const outcome = begin();
    await clock.tickAsync(5_000);
    await reads.query('select', []);
    await clock.tickAsync(10_000);
    expect(outcome).to.deep.equal({ error: readOnly });
    await reads.query('select', []);
    const late = begin();
    await clock.tickAsync(0);
    expect(late).to.deep.equal({ error: readOnly });
    acceptsWrites = true;
    begin();
    await clock.tickAsync(0);
    expect(lines.at(-1)).to.equal('database available again');
  });

  it('rejects with UPSTREAM_OVERLOADED, which clients retry, once a signal aborts', async () => {
    failure = refused;
    const [disconnected, draining] = [new AbortController(), new AbortController()];
    const outcome = begin(write, [disconnected.signal, draining.signal]);
    await clock.tickAsync(100);
    draining.abort();
    await clock.tickAsync(500);
    expect(outcome.error).to.include({ code: 'UPSTREAM_OVERLOADED' });
    expect(attempts).to.equal(1);
  });

  it('limits a call to ten seconds in total if each attempt meets a new outage', async () => {
    const outcome = begin(async () => {
      failure = undefined;
      await reads.query('select', []);
      failure = refused;
      await writes.query('insert', []);
    });
    await clock.tickAsync(9_900);
    expect(outcome).to.deep.equal({});
    await clock.tickAsync(100);
    expect(outcome).to.deep.equal({ error: refused });
  });

  it('rejects a call that keeps failing even if other statements succeed', async () => {
    const outcome = begin(async () => {
      await reads.query('select', []);
      throw refused;
    });
    await clock.tickAsync(10_000);
    expect(outcome).to.deep.equal({ error: refused });
  });
});

describe('retryWhileUnavailable at startup', () => {
  const refusal = withCode('28P01');

  let clock: Clock;
  beforeEach(() => {
    clock = install({ toFake: ['setTimeout', 'clearTimeout', 'performance'], shouldClearNativeTimers: true });
  });
  afterEach(() => clock.uninstall());

  /** Calls `open` with retries. Returns the outcome, the seconds that it took, and the reported failures. */
  async function start(open: (seconds: number) => unknown) {
    const startedAt = performance.now();
    const seconds = () => (performance.now() - startedAt) / 1000;
    const reported: unknown[] = [];
    const started = retryWhileUnavailable(async () => open(seconds()), {
      timeoutMilliseconds: 60_000,
      onUnavailable: (error) => reported.push(error),
    }).then(
      (outcome) => ({ outcome, seconds: Math.round(seconds()), reported }),
      (outcome) => ({ outcome, seconds: Math.round(seconds()), reported }),
    );
    await clock.tickAsync(61_000);
    return started;
  }

  function fail(error: Error): never {
    throw error;
  }

  it('waits until the database is available and reports the first failure only', async () => {
    const { outcome, seconds, reported } = await start((now) => (now < 5 ? fail(refused) : 'open'));
    expect([outcome, reported]).to.deep.equal(['open', [refused]]);
    expect(seconds).to.be.within(5, 6);
  });

  it('rejects with the reason after a minute', async () => {
    const { outcome, seconds, reported } = await start(() => fail(refused));
    expect([outcome, seconds, reported]).to.deep.equal([refused, 60, [refused]]);
  });

  it('rejects immediately with an error that a retry cannot fix, even after an outage', async () => {
    expect(await start(() => fail(refusal))).to.deep.equal({ outcome: refusal, seconds: 0, reported: [] });
    const { outcome, seconds } = await start((now) => fail(now < 5 ? refused : refusal));
    expect(outcome).to.equal(refusal);
    expect(seconds).to.be.within(5, 6);
  });
});

describe('unavailableReason', () => {
  for (const [error, reason] of [
    [withCode('53300'), 'no free connection (53300)'],
    [
      Object.assign(new AggregateError([withCode('ECONNREFUSED'), withCode('53300')]), { code: '08001' }),
      'no free connection (53300)',
    ],
    [withCode('25006'), 'read-only (25006)'],
    [withCode('ECONNREFUSED'), 'ECONNREFUSED'],
    [new Error('timeout expired'), undefined],
  ] as const) {
    it(`returns ${reason} for ${error.name} ${'code' in error ? error.code : 'without a code'}`, () => {
      expect(unavailableReason(error)).to.equal(reason);
    });
  }
});

describe('writeFailure of the repositories', () => {
  const storage = perTest(() => createTestDatabase());

  for (const [title, write] of Object.entries<(database: TestDatabase['database'], scope: Scope) => Promise<unknown>>({
    'a sign-in': ({ users }) => users.signIn(signInDetails({ subject: '1', name: 'Avery', email: null })),
    'a sign-out': ({ users }) => users.signOut('a-user', null, auditSource),
    'the deletion of expired sessions': ({ sessionStore }) => sessionStore.prune(),
    'an onboarding': ({ engagements }, scope) => engagements.begin(scope, exampleOnboarding, auditSource),
    'the deletion of old conversations': ({ prune }) => prune(30, 'service'),
  })) {
    it(`is the error of ${title}`, async () => {
      const scope = await newcomer(storage, 'Casey');
      await ask(storage, scope);
      await storage.rows(`update chat_messages set created_at = '2026-01-01'`);
      await storage.rows(`update conversations set created_at = '2026-01-01', last_message_at = null`);
      await storage.rows(`create function fill_disk() returns trigger language plpgsql
        as $$ begin raise exception 'disk full' using errcode = 'disk_full'; end $$`);
      for (const table of ['sessions', 'audit_events']) {
        await storage.rows(`create trigger fill_disk before insert or delete on ${table} execute function fill_disk()`);
      }
      const error = await refusal(write(storage.database, scope));
      expect(error).to.have.property('code', '53100');
      expect(storage.database.outage.writeFailure).to.equal(error);
    });
  }
});
