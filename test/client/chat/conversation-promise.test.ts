import { expect } from 'chai';
import { describe, it } from 'mocha';
import { endingOf } from '../../../client/chat/outcome.ts';
import { hangsUp, replies } from '../../../client-package/testing/fake-backend.ts';
import { formatAppendedError } from '../../../shared/errors.ts';
import { harnessPerTest, lastTurn } from './conversation-harness.ts';

const fail = () => {
  throw new Error('No answer.');
};

describe('The promise of a turn', () => {
  const { backend, clock, conversation, open, stream } = harnessPerTest();

  const sessionEnded = { type: 'failed', code: 'UNAUTHENTICATED', receivedText: true };
  for (const [session, isSignedOut, afterBreak, afterError] of [
    ['has ended', async () => true, sessionEnded, sessionEnded],
    ['is active', async () => false, { type: 'interrupted' }, { code: 'UPSTREAM_ERROR' }],
    ['cannot be read', async () => fail(), { type: 'interrupted' }, { code: 'UPSTREAM_ERROR' }],
    ['cannot be requested', fail, { type: 'interrupted' }, { code: 'UPSTREAM_ERROR' }],
  ] as const) {
    it(`matches the ending of the turn if the reply is incomplete and the session ${session}`, async () => {
      for (const [expected, errorLine] of [
        [afterBreak, undefined],
        [afterError, formatAppendedError('UPSTREAM_ERROR')],
      ]) {
        const conversation = open({ isSignedOut });
        const { sent, response } = await stream('Week 3', conversation);
        if (errorLine === undefined) response.destroy();
        else response.end(errorLine);
        const outcome = await sent;
        expect(outcome).to.include(expected);
        expect(lastTurn(conversation)).to.deep.include({ reply: 'Week 3', ending: outcome && endingOf(outcome) });
        expect(conversation.getState().phase.name).to.equal('idle');
      }
    });
  }

  it('does not depend on the session for a complete reply, or a lost connection without text', async () => {
    const conversation = open({ isSignedOut: async () => true });
    backend.answer(hangsUp, replies('Week 3.'));
    expect((await conversation.send('Where do we stand?'))?.type).to.equal('interrupted');
    expect((await conversation.tryAgain())?.type).to.equal('done');
  });

  it('resolves as `left`, and the turn ends as `left`, after leave()', async () => {
    const { sent } = await stream('Week 3');
    conversation.leave();
    const left = { type: 'left', requestId: 'turn-1' };
    expect([await sent, lastTurn(conversation).ending]).to.deep.equal([left, left]);
  });

  for (const [what, milliseconds, end, type] of [
    ['connection is cut', 9_999, 'destroy', 'left'],
    ['connection is cut', 10_000, 'destroy', 'interrupted'],
    ['reply is complete', 9_999, 'end', 'done'],
  ] as const) {
    it(`resolves as \`${type}\`, and the turn ends as \`${type}\`, if the ${what} ${milliseconds} ms after prepareToLeave()`, async () => {
      const { sent, response } = await stream('Week 3');
      conversation.prepareToLeave();
      await clock.advance(milliseconds);
      response[end]();
      expect([(await sent)?.type, lastTurn(conversation).ending?.type]).to.deep.equal([type, type]);
    });
  }

  it('waits ten seconds for isSignedOut, unless the turn is stopped', async () => {
    for (const isStopped of [false, true]) {
      const asked = Promise.withResolvers<void>();
      const isSignedOut = () => {
        asked.resolve();
        return new Promise<boolean>(() => {});
      };
      const conversation = open({ isSignedOut });
      const { sent, response } = await stream('Week 3', conversation);
      response.destroy();
      await asked.promise;
      await clock.advance(9999);
      expect(conversation.getState().phase.name).to.equal('streaming');
      if (isStopped) conversation.stop();
      else await clock.advance(1);
      expect((await sent)?.type).to.equal(isStopped ? 'stopped' : 'interrupted');
    }
  });

  it('resolves as `done` if the lock rejects', async () => {
    backend.answer(replies('Week 3.'));
    const conversation = open({ lock: { take: async () => fail(), isHeld: async () => fail() } });
    expect(await conversation.send('Where do we stand?')).to.deep.equal({ type: 'done' });
    await conversation.watchOtherTabs();
  });

  it('resolves as `done`, with a different request id for each turn, if crypto.randomUUID is missing', async () => {
    const { randomUUID } = crypto;
    Object.defineProperty(crypto, 'randomUUID', { value: undefined, configurable: true });
    try {
      backend.answer(replies('Week 3.'), replies('Week 4.'));
      const conversation = open({ createRequestId: undefined });
      expect(await conversation.send('Where do we stand?')).to.deep.equal({ type: 'done' });
      await conversation.send('And then?');
      expect(new Set(backend.requests.map(({ requestId }) => requestId)).size).to.equal(2);
    } finally {
      Object.defineProperty(crypto, 'randomUUID', { value: randomUUID, configurable: true });
    }
  });
});
