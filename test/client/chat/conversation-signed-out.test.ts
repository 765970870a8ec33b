import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createConversation } from '../../../client/chat/conversation.ts';
import { isProblem, problemOf } from '../../../client/chat/problem.ts';
import { startFakeBackend } from '../../../client-package/testing/fake-backend.ts';
import { until } from '../../../client-package/testing/until.ts';
import { formatAppendedError } from '../../../shared/errors.ts';
import { lastTurn, shows } from './conversation-harness.ts';

describe('A reply that breaks off', () => {
  async function brokenOff(how: 'cut' | 'failed', isSignedOut: () => Promise<boolean>) {
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
    it(`says that the session was ended elsewhere, where that is why it was ${how}`, async () => {
      expect(await brokenOff(how, async () => true)).to.equal('sessionEnded');
    });
  }

  it('says what happened where the session lasts or cannot be asked for', async () => {
    expect(await brokenOff('cut', async () => false)).to.equal('cut');
    expect(await brokenOff('failed', () => Promise.reject(new Error('No answer.')))).to.equal('modelFailed');
  });
});
