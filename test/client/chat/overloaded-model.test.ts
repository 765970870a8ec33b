import { expect } from 'chai';
import { it } from 'mocha';
import { createConversation } from '../../../client-package/main.ts';
import {
  createFakeClock,
  fails,
  isRetrying,
  replies,
  startFakeBackend,
  until,
} from '../../../client-package/testing.ts';

it('A question to an overloaded model is sent again after a second', async () => {
  await using backend = await startFakeBackend();
  const clock = createFakeClock();
  const conversation = createConversation({ url: backend.url, clock });
  backend.answer(fails('UPSTREAM_OVERLOADED'), replies('Week 3.'));

  const sent = conversation.send('Where do we stand?');
  const { phase } = await until(conversation, isRetrying);
  expect(phase).to.include({ attempt: 2, attempts: 5, resumesAt: clock.now() + 1000 });
  await clock.advance(1000);
  await sent;

  expect(backend.requests).to.have.length(2);
  const replied = conversation.getState().turns.map(({ reply, ending }) => ({ reply, ending }));
  expect(replied).to.deep.equal([{ reply: 'Week 3.', ending: { type: 'done' } }]);
});
