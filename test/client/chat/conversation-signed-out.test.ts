import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createConversation } from '../../../client/chat/conversation.ts';
import { isProblem, problemOf } from '../../../client/turns/problem.ts';
import { hangsUp, replies, startFakeBackend } from '../../../client-package/testing/fake-backend.ts';
import { until } from '../../../client-package/testing/until.ts';
import { formatAppendedError } from '../../../shared/errors.ts';
import { lastTurn, shows } from './conversation-harness.ts';

describe('An incomplete reply', () => {
  async function problemAfter(how: 'cut' | 'failed', isSignedOut: () => Promise<boolean>) {
    await using backend = await startFakeBackend();
    const conversation = createConversation({ url: backend.url, isSignedOut });
    const opened = backend.open();
    const sent = conversation.send('Where do we stand?');
    const response = await opened;
    response.write('Week 3');
    await until(conversation, shows('Week 3'));
    if (how === 'cut') response.destroy();
    else response.end(formatAppendedError('UPSTREAM_ERROR'));
    await sent;
    const { ending, reply } = lastTurn(conversation);
    expect(reply).to.equal('Week 3');
    return ending !== null && isProblem(ending) ? problemOf(ending, true) : undefined;
  }

  for (const how of ['cut', 'failed'] as const) {
    it(`is reported as an ended session if the ${how === 'cut' ? 'connection broke' : 'reply failed'} after the session ended elsewhere`, async () => {
      expect(await problemAfter(how, async () => true)).to.equal('sessionEnded');
    });
  }

  it('is the only reason to call isSignedOut', async () => {
    await using backend = await startFakeBackend();
    let askedCount = 0;
    const isSignedOut = async () => {
      askedCount += 1;
      return true;
    };
    const conversation = createConversation({ url: backend.url, isSignedOut });
    backend.answer(hangsUp, replies('Week 3.'));
    expect((await conversation.send('Where do we stand?'))?.type).to.equal('interrupted');
    expect((await conversation.tryAgain())?.type).to.equal('done');
    expect(askedCount).to.equal(0);
  });

  it('is reported with its own cause if the session is active or cannot be read', async () => {
    expect(await problemAfter('cut', async () => false)).to.equal('cut');
    expect(await problemAfter('failed', () => Promise.reject(new Error('No answer.')))).to.equal('modelFailed');
  });
});
