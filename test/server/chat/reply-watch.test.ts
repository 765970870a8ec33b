import { mock } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { pino } from 'pino';
import { createReplyWatch } from '../../../server/chat/reply-watch.ts';

const lines: string[] = [];
const logger = pino({ level: 'debug' }, { write: (line) => void lines.push(JSON.parse(line).msg) });

/** Creates a watch that queries only when `check` is called, and a database whose answers the test resolves. */
function createWatch() {
  const questions: { asked: readonly string[]; answer: PromiseWithResolvers<Set<string>> }[] = [];
  const findActive = (asked: readonly string[]) => {
    const answer = Promise.withResolvers<Set<string>>();
    questions.push({ asked, answer });
    return answer.promise;
  };
  return {
    ...createReplyWatch({ findActive, logger, intervalMilliseconds: 2 ** 31 - 1 }),
    questions,
  };
}

describe('createReplyWatch', () => {
  let ended: string[];
  beforeEach(() => {
    ended = [];
  });

  it('ends all replies in progress of a session that has ended, and no other replies', async () => {
    const { watch, check, questions } = createWatch();
    const finished = watch('ended', () => ended.push('finished'));
    using _one = watch('ended', () => ended.push('one'));
    using _same = watch('ended', () => ended.push('same'));
    using _other = watch('active', () => ended.push('other'));
    finished[Symbol.dispose]();
    const checked = check();
    expect(questions[0]?.asked).to.deep.equal(['ended', 'active']);
    questions[0]?.answer.resolve(new Set(['active']));
    await checked;
    expect(ended).to.deep.equal(['one', 'same']);
  });

  it('does not end a reply that started after the query was sent', async () => {
    const { watch, check, questions } = createWatch();
    using _early = watch('early', () => ended.push('early'));
    const checked = check();
    using _late = watch('late', () => ended.push('late'));
    questions[0]?.answer.resolve(new Set(['early']));
    await checked;
    expect(ended).to.deep.equal([]);
  });

  it('sends no query while there are no replies', async () => {
    const { watch, check, questions } = createWatch();
    watch('finished', () => ended.push('finished'))[Symbol.dispose]();
    await check();
    expect(questions).to.deep.equal([]);
  });

  it('checks the sessions of its replies in each interval until the last reply has finished, even after a failed check', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    try {
      let checks = 0;
      const findActive = async () => {
        checks += 1;
        if (checks === 1) throw new Error('The database is unavailable.');
        return new Set(checks === 2 ? ['session'] : []);
      };
      const { watch } = createReplyWatch({ findActive, logger, intervalMilliseconds: 1_000 });
      const reply = watch('session', () => ended.push('reply'));
      const other = watch('session', () => undefined);
      const interval = async () => {
        mock.timers.tick(1_000);
        await setImmediate();
        return checks;
      };
      expect([await interval(), await interval()]).to.deep.equal([1, 2]);
      expect(ended).to.deep.equal([]);
      expect(lines).to.deep.equal(['cannot check which sessions have ended']);
      expect(await interval()).to.equal(3);
      expect(ended).to.deep.equal(['reply']);
      for (const each of [reply, other]) each[Symbol.dispose]();
      expect([await interval(), await interval()]).to.deep.equal([3, 3]);
      using _later = watch('session', () => ended.push('later'));
      expect(await interval()).to.equal(4);
      expect(ended).to.deep.equal(['reply', 'later']);
    } finally {
      mock.timers.reset();
    }
  });
});
