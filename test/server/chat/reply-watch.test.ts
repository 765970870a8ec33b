import { expect } from 'chai';
import { describe, it } from 'mocha';
import { pino } from 'pino';
import type { AppError } from '../../../server/app-error.ts';
import { createReplyWatch } from '../../../server/chat/reply-watch.ts';

const logger = pino({ level: 'silent' });

/** A watch that queries only when `check` is called, and a database whose answers the test resolves. */
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
  it('aborts all replies of a session that has ended, and no other replies', async () => {
    const { watch, check, questions } = createWatch();
    const [one, same, other] = [watch('ended'), watch('ended'), watch('active')];
    const checked = check();
    expect(questions[0]?.asked).to.deep.equal(['ended', 'active']);
    questions[0]?.answer.resolve(new Set(['active']));
    await checked;
    for (const { ended } of [one, same]) {
      expect(ended.aborted).to.equal(true);
      expect((ended.reason as AppError).code).to.equal('UNAUTHENTICATED');
    }
    expect(other.ended.aborted).to.equal(false);
    for (const { unwatch } of [one, same, other]) unwatch();
  });

  it('still watches a session after one of its replies has finished', async () => {
    const { watch, check, questions } = createWatch();
    const [finished, running] = [watch('ended'), watch('ended')];
    finished.unwatch();
    const checked = check();
    questions[0]?.answer.resolve(new Set());
    await checked;
    expect(running.ended.aborted).to.equal(true);
    running.unwatch();
  });

  it('does not abort a reply that started after the query was sent', async () => {
    const { watch, check, questions } = createWatch();
    const early = watch('early');
    const checked = check();
    const late = watch('late');
    questions[0]?.answer.resolve(new Set(['early']));
    await checked;
    expect(late.ended.aborted).to.equal(false);
    for (const { unwatch } of [early, late]) unwatch();
  });

  it('does not abort replies when the sessions cannot be read', async () => {
    const { watch, check, questions } = createWatch();
    const { ended, unwatch } = watch('unknown');
    const checked = check();
    questions[0]?.answer.reject(new Error('The database is unavailable.'));
    await checked;
    expect(ended.aborted).to.equal(false);
    unwatch();
  });

  it('sends no query while there are no replies', async () => {
    const { watch, check, questions } = createWatch();
    watch('finished').unwatch();
    await check();
    expect(questions).to.deep.equal([]);
  });
});
