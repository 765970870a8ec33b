import { type Clock, install } from '@sinonjs/fake-timers';
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { createOutage, type Outage, type Wait } from '../../../server/database/outage.ts';
import { createLogger } from '../../../server/http/process/logger.ts';

const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
const readOnly = Object.assign(new Error('read-only'), { code: '25006' });

/** What became of a call: what it gave, what it was rejected with, or that it still waits. */
type Fate = { value?: unknown; error?: unknown };

describe('an outage of the database', () => {
  let clock: Clock;
  let lines: string[];
  /** What the database answers a statement with, unless it is undefined; a write as well, unless `takesWrites` is false. */
  let failure: Error | undefined;
  let takesWrites: boolean;
  let looks: number;
  let held: number;
  let attempts: number;
  let outage: Outage;

  beforeEach(() => {
    clock = install({ toFake: ['setTimeout', 'clearTimeout', 'performance'], shouldClearNativeTimers: true });
    lines = [];
    failure = undefined;
    takesWrites = true;
    looks = 0;
    held = 0;
    attempts = 0;
    outage = createOutage({
      async probe() {
        looks += 1;
        if (failure !== undefined) throw failure;
        if (!takesWrites) throw readOnly;
      },
      logger: createLogger({ level: 'info' }, { write: (line) => void lines.push(JSON.parse(line).msg) }),
    });
  });
  afterEach(() => {
    outage.close();
    clock.uninstall();
  });

  /** One that nothing ends, and whose end is counted. */
  const patient = (ended = new AbortController().signal): Wait => {
    return () => {
      held += 1;
      return {
        ended,
        [Symbol.dispose]() {
          held -= 1;
        },
      };
    };
  };

  /** A call as the driver makes it: each failure and each answer is told. */
  async function call(): Promise<string> {
    attempts += 1;
    await Promise.resolve();
    const error = failure ?? (takesWrites ? undefined : readOnly);
    if (error !== undefined) {
      outage.failed(error);
      throw error;
    }
    outage.answered();
    return 'answer';
  }

  function begin(work = call, wait = patient()): Fate {
    const fate: Fate = {};
    outage.outlast(work, wait).then(
      (value) => Object.assign(fate, { value }),
      (error) => Object.assign(fate, { error }),
    );
    return fate;
  }

  it('is none while the database answers: a call is made once, and nothing is held or looked for', async () => {
    const fate = begin();
    await clock.tickAsync(60_000);
    expect(fate).to.deep.equal({ value: 'answer' });
    expect([attempts, looks, held]).to.deep.equal([1, 0, 0]);
    expect(lines).to.deep.equal([]);
  });

  it('is waited for by a call that meets it, which is then made again', async () => {
    failure = refused;
    const fate = begin();
    await clock.tickAsync(9_000);
    expect(fate).to.deep.equal({});
    expect(held).to.equal(1);
    failure = undefined;
    await clock.tickAsync(200);
    expect(fate).to.deep.equal({ value: 'answer' });
    expect([attempts, held]).to.deep.equal([2, 0]);
    expect(lines).to.deep.equal(['the database is away: turns wait for it', 'the database is back']);
  });

  it('is waited for by calls that begin in it before they are made at all', async () => {
    failure = refused;
    begin();
    await clock.tickAsync(5_000);
    attempts = 0;
    const later = begin();
    await clock.tickAsync(4_000);
    expect([later, attempts]).to.deep.equal([{}, 0]);
    failure = undefined;
    await clock.tickAsync(200);
    expect(later).to.deep.equal({ value: 'answer' });
    expect(attempts).to.equal(2);
  });

  it('is looked for by one question at a time, however many wait', async () => {
    failure = refused;
    const fates = Array.from({ length: 500 }, () => begin());
    await clock.tickAsync(1_000);
    expect(looks).to.equal(5);
    expect(attempts).to.equal(500);
    failure = undefined;
    await clock.tickAsync(200);
    expect(fates.every(({ value }) => value === 'answer')).to.equal(true);
  });

  it('fails every call ten seconds after its start, whenever the call began', async () => {
    failure = refused;
    const first = begin();
    await clock.tickAsync(9_000);
    const second = begin();
    await clock.tickAsync(999);
    expect([first, second]).to.deep.equal([{}, {}]);
    await clock.tickAsync(1);
    expect([first, second]).to.deep.equal([{ error: refused }, { error: refused }]);
    expect(held).to.equal(0);
  });

  it('is looked for once more when ten seconds are over', async () => {
    failure = refused;
    const fate = begin();
    await clock.tickAsync(9_999);
    failure = undefined;
    await clock.tickAsync(1);
    expect(fate).to.deep.equal({ value: 'answer' });
  });

  it('that lasts for longer fails a new call at once, without a wait', async () => {
    failure = refused;
    begin();
    await clock.tickAsync(10_000);
    const late = begin();
    await clock.tickAsync(0);
    expect(late).to.deep.equal({ error: refused });
    expect(held).to.equal(0);
  });

  it('is over with the next answer, and another one is waited for again', async () => {
    failure = refused;
    begin();
    await clock.tickAsync(60_000);
    failure = undefined;
    const back = begin();
    await clock.tickAsync(0);
    expect(back).to.deep.equal({ value: 'answer' });
    failure = refused;
    const next = begin();
    await clock.tickAsync(9_000);
    expect(next).to.deep.equal({});
    failure = undefined;
    await clock.tickAsync(200);
    expect(next).to.deep.equal({ value: 'answer' });
  });

  it('is noticed to be over while nobody asks', async () => {
    failure = refused;
    begin();
    await clock.tickAsync(60_000);
    failure = undefined;
    await clock.tickAsync(2_000);
    expect(lines.at(-1)).to.equal('the database is back');
    const seen = looks;
    await clock.tickAsync(60_000);
    expect(looks).to.equal(seen);
  });

  it('is not over where a standby answers and takes no writes', async () => {
    takesWrites = false;
    const fate = begin();
    await clock.tickAsync(5_000);
    outage.answered();
    await clock.tickAsync(4_000);
    expect(fate).to.deep.equal({});
    takesWrites = true;
    await clock.tickAsync(200);
    expect(fate).to.deep.equal({ value: 'answer' });
  });

  it('is none where the database refuses a call: that fails as it is', async () => {
    const refusal = Object.assign(new Error('duplicate'), { code: '23505' });
    const fate = begin(() => Promise.reject(refusal));
    await clock.tickAsync(0);
    expect(fate).to.deep.equal({ error: refusal });
    expect([looks, held]).to.deep.equal([0, 0]);
  });

  it('ends a wait whose call has no use for it any more, and holds nothing for it', async () => {
    failure = refused;
    const leaving = new AbortController();
    const left = begin(call, patient(leaving.signal));
    const other = begin();
    await clock.tickAsync(1_000);
    leaving.abort(new Error('left'));
    await clock.tickAsync(0);
    expect(left.error).to.have.property('message', 'left');
    expect(held).to.equal(1);
    failure = undefined;
    await clock.tickAsync(200);
    expect(other).to.deep.equal({ value: 'answer' });
    expect(attempts).to.equal(3);
  });

  it('is not waited for where there is no place to wait in', async () => {
    failure = refused;
    const full = new Error('full');
    const fate = begin(call, () => {
      throw full;
    });
    await clock.tickAsync(0);
    expect(fate).to.deep.equal({ error: full });
  });

  it('is left in the end by a call that goes on failing although the database answers', async () => {
    const work = async () => {
      attempts += 1;
      outage.failed(refused);
      throw refused;
    };
    const fate = begin(work);
    await clock.tickAsync(20_500);
    expect(fate).to.deep.equal({ error: refused });
    expect(held).to.equal(0);
  });

  it('is looked for again where a look gets no answer', async () => {
    outage.close();
    const answers = [new Promise(() => undefined), Promise.resolve()];
    outage = createOutage({
      probe: () => {
        looks += 1;
        return answers.shift() ?? Promise.resolve();
      },
      logger: createLogger({ level: 'silent' }),
    });
    failure = refused;
    const fate = begin();
    await clock.tickAsync(200);
    failure = undefined;
    await clock.tickAsync(2_200);
    expect(fate).to.deep.equal({ value: 'answer' });
    expect(looks).to.equal(2);
  });

  it('makes no more looks once it is closed', async () => {
    failure = refused;
    outage.failed(refused);
    outage.close();
    outage.failed(refused);
    await clock.tickAsync(60_000);
    expect(looks).to.equal(0);
  });
});
