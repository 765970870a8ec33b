import { expect } from 'chai';
import { describe, it } from 'mocha';
import { pino } from 'pino';
import type { AppError } from '../../../server/app-error.ts';
import { createReplyWatch } from '../../../server/chat/reply-watch.ts';

const logger = pino({ level: 'silent' });

/** A watch that looks only when it is told to, and a database that answers when the test says so. */
function watching() {
  const questions: { asked: readonly string[]; answer: PromiseWithResolvers<Set<string>> }[] = [];
  const living = (asked: readonly string[]) => {
    const answer = Promise.withResolvers<Set<string>>();
    questions.push({ asked, answer });
    return answer.promise;
  };
  return {
    ...createReplyWatch({ living, logger, intervalMilliseconds: 2 ** 31 - 1 }),
    questions,
  };
}

describe('the watch over the sessions of replies', () => {
  it('ends the replies of a session that is gone, and of no other', async () => {
    const { watch, look, questions } = watching();
    const [one, same, other] = [watch('gone'), watch('gone'), watch('living')];
    const looked = look();
    expect(questions[0]?.asked).to.deep.equal(['gone', 'living']);
    questions[0]?.answer.resolve(new Set(['living']));
    await looked;
    for (const { ended } of [one, same]) {
      expect(ended.aborted).to.equal(true);
      expect((ended.reason as AppError).code).to.equal('UNAUTHENTICATED');
    }
    expect(other.ended.aborted).to.equal(false);
    for (const { forget } of [one, same, other]) forget();
  });

  it('still ends a reply of a session of which another reply is over', async () => {
    const { watch, look, questions } = watching();
    const [over, running] = [watch('ended'), watch('ended')];
    over.forget();
    const looked = look();
    questions[0]?.answer.resolve(new Set());
    await looked;
    expect(running.ended.aborted).to.equal(true);
    running.forget();
  });

  it('leaves a reply alone that has begun since it asked', async () => {
    const { watch, look, questions } = watching();
    const early = watch('early');
    const looked = look();
    const late = watch('late');
    questions[0]?.answer.resolve(new Set(['early']));
    await looked;
    expect(late.ended.aborted).to.equal(false);
    for (const { forget } of [early, late]) forget();
  });

  it('ends nobody whose session cannot be asked for', async () => {
    const { watch, look, questions } = watching();
    const { ended, forget } = watch('unknown');
    const looked = look();
    questions[0]?.answer.reject(new Error('The database is away.'));
    await looked;
    expect(ended.aborted).to.equal(false);
    forget();
  });

  it('asks for nothing once no reply is under way', async () => {
    const { watch, look, questions } = watching();
    watch('over').forget();
    await look();
    expect(questions).to.deep.equal([]);
  });
});
