import { expect } from 'chai';
import { describe, it } from 'mocha';
import { isAway, openOnceThere } from '../../../server/database/away.ts';

const withCode = (code: string) => Object.assign(new Error('in words of its own'), { code });

describe('isAway', () => {
  for (const code of ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENOTFOUND', 'EAI_AGAIN']) {
    it(`is true for a connection that fails with ${code}`, () => {
      expect(isAway(withCode(code))).to.equal(true);
    });
  }

  for (const [state, what] of [
    ['08001', 'no server can be reached'],
    ['08006', 'the connection has failed'],
    ['08P01', 'a pooler has lost its server'],
    ['57P01', 'the server shuts down'],
    ['57P02', 'the server has crashed'],
    ['57P03', 'the server starts, or recovers'],
    ['25006', 'the server is a standby'],
  ] as const) {
    it(`is true where ${what} (${state})`, () => {
      expect(isAway(withCode(state))).to.equal(true);
    });
  }

  for (const sentence of [
    'Connection terminated unexpectedly',
    'Connection terminated due to connection timeout',
    'timeout exceeded when trying to connect',
    'Query read timeout',
  ]) {
    it(`is true for the driver's "${sentence}"`, () => {
      expect(isAway(new Error(sentence))).to.equal(true);
    });
  }

  it('is false for what a database that is there refuses, and for errors of ours', () => {
    for (const code of ['23505', '22P02', '28P01', '3D000', '40P01', '42501', '53100', '55P03', '57014', 'EACCES']) {
      expect(isAway(withCode(code)), code).to.equal(false);
    }
    for (const error of [new Error('connection refused'), '57P01', undefined, null]) {
      expect(isAway(error)).to.equal(false);
    }
  });
});

describe('a start without the database', () => {
  const away = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
  const refused = Object.assign(new Error('password authentication failed'), { code: '28P01' });

  /** Starts, and gives what came of it after how many seconds, and how often it was said that the database is away. */
  async function start(open: (seconds: number) => unknown) {
    let milliseconds = 0;
    const told: unknown[] = [];
    const outcome = await openOnceThere(
      async () => open(milliseconds / 1000),
      (error) => told.push(error),
      {
        clock: () => milliseconds,
        async pause(pauseMilliseconds) {
          milliseconds += pauseMilliseconds;
        },
      },
    ).catch((error) => error);
    return { outcome, seconds: milliseconds / 1000, told };
  }

  function fail(error: Error): never {
    throw error;
  }

  it('waits until it is there, and says so once', async () => {
    const { outcome, seconds, told } = await start((now) => (now < 5 ? fail(away) : 'open'));
    expect([outcome, seconds, told]).to.deep.equal(['open', 5, [away]]);
  });

  it('ends with the reason after a minute', async () => {
    const { outcome, seconds, told } = await start(() => fail(away));
    expect([outcome, seconds, told]).to.deep.equal([away, 60, [away]]);
  });

  it('ends at once where waiting cannot mend it, also once the database is back', async () => {
    expect(await start(() => fail(refused))).to.deep.equal({ outcome: refused, seconds: 0, told: [] });
    const { outcome, seconds } = await start((now) => fail(now < 5 ? away : refused));
    expect([outcome, seconds]).to.deep.equal([refused, 5]);
  });
});
