import { type Clock, install } from '@sinonjs/fake-timers';
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { pino } from 'pino';
import { startRetention } from '../../../server/database/retention.ts';

const minute = 60_000;
const hour = 60 * minute;

describe('retention', () => {
  let clock: Clock;
  let lines: Record<string, unknown>[];
  let batches: { moment: Date; retainDays: number; operator: string }[];
  let answers: (number | null | Error)[];

  beforeEach(() => {
    clock = install({
      toFake: ['setTimeout', 'clearTimeout', 'Date'],
      shouldClearNativeTimers: true,
      now: Date.parse('2026-11-21T09:00:00Z'),
    });
    lines = [];
    batches = [];
    answers = [];
  });
  afterEach(() => clock.uninstall());

  const start = () =>
    startRetention({
      retainDays: 30,
      logger: pino({ level: 'debug' }, { write: (line: string) => void lines.push(JSON.parse(line)) }),
      async prune(moment, retainDays, operator) {
        batches.push({ moment, retainDays, operator });
        const answer = answers.shift() ?? 0;
        if (answer instanceof Error) throw answer;
        return answer;
      },
    });

  it('begins a minute after the start and then once an hour, each time from the time that it is', async () => {
    const retention = start();
    await clock.tickAsync(minute - 1);
    expect(batches).to.deep.equal([]);
    await clock.tickAsync(1);
    await clock.tickAsync(2 * hour);
    expect(batches).to.deep.equal(
      ['2026-11-21T09:01:00Z', '2026-11-21T10:01:00Z', '2026-11-21T11:01:00Z'].map((moment) => ({
        moment: new Date(moment),
        retainDays: 30,
        operator: 'service',
      })),
    );
    expect(lines).to.deep.equal([]);
    await retention.stop();
  });

  it('goes on batch by batch until nothing is left, with a pause between, and says how many there were', async () => {
    answers = [100, 100, 7, 0];
    const retention = start();
    await clock.tickAsync(minute);
    expect(batches).to.have.length(1);
    await clock.tickAsync(99);
    expect(batches).to.have.length(1);
    await clock.tickAsync(1_000);
    expect(batches).to.have.length(4);
    expect(lines).to.have.length(1);
    expect(lines[0]).to.include({ msg: 'old conversations are deleted', conversations: 207, retainDays: 30 });
    await retention.stop();
  });

  for (const [what, answer] of [
    ['another process is at it', null],
    ['the database does not answer', new Error('It is away.')],
  ] as const) {
    it(`waits for the next hour where ${what}`, async () => {
      answers = [answer];
      const retention = start();
      await clock.tickAsync(minute + hour - 1);
      expect(batches).to.have.length(1);
      await clock.tickAsync(1);
      expect(batches).to.have.length(2);
      expect(lines.map(({ msg }) => msg)).to.deep.equal(answer === null ? [] : ['old conversations cannot be deleted']);
      await retention.stop();
    });
  }

  it('asks for nothing more once it is stopped, also from within a round', async () => {
    answers = [100, 100];
    const retention = start();
    await clock.tickAsync(minute);
    await retention.stop();
    await clock.tickAsync(3 * hour);
    expect(batches).to.have.length(1);
    expect(clock.countTimers()).to.equal(0);
  });
});
