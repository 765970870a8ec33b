import { expect } from 'chai';
import { describe, it } from 'mocha';
import { pino } from 'pino';
import type { AppError } from '../../../server/app-error.ts';
import { createReplyWatch } from '../../../server/chat/reply-watch.ts';

const logger = pino({ level: 'silent' });

/** A watch that looks only when `look` is called, and a database whose answers the test resolves. */
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
  it('ends only the replies of a session that has ended', async () => {
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

  it('ends a reply of a session whose other reply is over', async () => {
    const { watch, look, questions } = watching();
    const [over, running] = [watch('ended'), watch('ended')];
    over.forget();
    const looked = look();
    questions[0]?.answer.resolve(new Set());
    await looked;
    expect(running.ended.aborted).to.equal(true);
    running.forget();
  });

  it('does not end a reply that started after its query', async () => {
    const { watch, look, questions } = watching();
    const early = watch('early');
    const looked = look();
    const late = watch('late');
    questions[0]?.answer.resolve(new Set(['early']));
    await looked;
    expect(late.ended.aborted).to.equal(false);
    for (const { forget } of [early, late]) forget();
  });

  it('ends no reply if the sessions cannot be read', async () => {
    const { watch, look, questions } = watching();
    const { ended, forget } = watch('unknown');
    const looked = look();
    questions[0]?.answer.reject(new Error('The database is away.'));
    await looked;
    expect(ended.aborted).to.equal(false);
    forget();
  });

  it('sends no query without a running reply', async () => {
    const { watch, look, questions } = watching();
    watch('over').forget();
    await look();
    expect(questions).to.deep.equal([]);
  });
});
