import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createConversation } from '../../../client/chat/conversation.ts';
import type { ConversationOptions } from '../../../client/chat/conversation-interface.ts';
import { isRefusal } from '../../../client/chat/outcome.ts';
import { createWebLock, type TurnLock } from '../../../client/chat/turn-lock.ts';
import { replies, startFakeBackend } from '../../../client-package/testing/fake-backend.ts';
import { createFakeClock } from '../../../client-package/testing/fake-clock.ts';
import { until } from '../../../client-package/testing/until.ts';
import { perTest } from '../../support/per-suite.ts';
import { lastTurn, shows } from './conversation-harness.ts';

describe('The promise of a turn', () => {
  const backend = perTest(() => startFakeBackend());

  async function streaming(options: Partial<ConversationOptions> = {}) {
    const conversation = createConversation({ url: backend.url, ...options });
    const opened = backend.open();
    const sent = conversation.send('Where do we stand?');
    const response = await opened;
    response.write('Week 3');
    await until(conversation, shows('Week 3'));
    return { conversation, sent, response };
  }

  it('resolves as a refusal, like the ending of the turn, if the session has ended during the reply', async () => {
    const { conversation, sent, response } = await streaming({ isSignedOut: async () => true });
    response.destroy();
    const outcome = await sent;
    const { ending, reply } = lastTurn(conversation);
    expect([isRefusal(outcome), isRefusal(ending), reply]).to.deep.equal([true, true, 'Week 3']);
    expect(outcome).to.include({ type: 'failed', code: 'UNAUTHENTICATED', receivedText: true });
  });

  it('resolves as `left`, like the ending of the turn, after leave()', async () => {
    const { conversation, sent } = await streaming();
    conversation.leave();
    const { ending, requestId } = lastTurn(conversation);
    expect([await sent, ending]).to.deep.equal([
      { type: 'left', requestId },
      { type: 'left', requestId },
    ]);
  });

  it('resolves as `left`, like the ending of the turn, if the connection is cut after aboutToLeave()', async () => {
    const { conversation, sent, response } = await streaming();
    conversation.aboutToLeave();
    response.destroy();
    expect((await sent)?.type).to.equal('left');
    expect(lastTurn(conversation).ending?.type).to.equal('left');
  });

  it('does not resolve as `left` if the page stays open after aboutToLeave()', async () => {
    const completed = await streaming();
    completed.conversation.aboutToLeave();
    completed.response.end('.');
    expect((await completed.sent)?.type).to.equal('done');

    const clock = createFakeClock();
    const cut = await streaming({ clock });
    cut.conversation.aboutToLeave();
    await clock.advance(10_000);
    cut.response.destroy();
    expect((await cut.sent)?.type).to.equal('interrupted');
  });

  const broken: Record<string, () => boolean | Promise<boolean>> = {
    throws: () => {
      throw new Error('No session.');
    },
    rejects: () => Promise.reject(new Error('No session.')),
  };
  for (const [how, isSignedOut] of Object.entries(broken)) {
    it(`resolves as interrupted if the connection breaks and isSignedOut ${how}`, async () => {
      const options = { isSignedOut: isSignedOut as () => Promise<boolean> };
      const { conversation, sent, response } = await streaming(options);
      response.destroy();
      expect((await sent)?.type).to.equal('interrupted');
      expect(conversation.getState().phase.name).to.equal('idle');
    });
  }

  it('waits ten seconds for isSignedOut', async () => {
    const clock = createFakeClock();
    let isAsked = false;
    const isSignedOut = () => {
      isAsked = true;
      return new Promise<boolean>(() => {});
    };
    const { conversation, sent, response } = await streaming({ clock, isSignedOut });
    response.destroy();
    while (!isAsked) await clock.advance(0);
    await clock.advance(9999);
    expect(conversation.getState().phase.name).to.equal('streaming');
    await clock.advance(1);
    expect((await sent)?.type).to.equal('interrupted');
  });

  it('resolves at once if the turn is stopped while isSignedOut does not answer', async () => {
    const clock = createFakeClock();
    let isAsked = false;
    const isSignedOut = () => {
      isAsked = true;
      return new Promise<boolean>(() => {});
    };
    const { conversation, sent, response } = await streaming({ clock, isSignedOut });
    response.destroy();
    while (!isAsked) await clock.advance(0);
    conversation.stop();
    expect(await sent).to.deep.equal({ type: 'stopped' });
  });

  const failingLock = (fail: () => never): TurnLock => ({ take: async () => fail(), isHeld: async () => fail() });
  const locks: Record<string, TurnLock> = {
    'navigator.locks is missing': createWebLock(undefined as never, 'chat'),
    'the lock rejects': failingLock(() => {
      throw new Error('No lock.');
    }),
  };
  for (const [title, lock] of Object.entries(locks)) {
    it(`resolves as done if ${title}`, async () => {
      backend.answer(replies('Week 3.'));
      const conversation = createConversation({ url: backend.url, lock });
      expect(await conversation.send('Where do we stand?')).to.deep.equal({ type: 'done' });
      expect(conversation.getState().phase.name).to.equal('idle');
      await conversation.watchOtherTabs();
    });
  }

  it('resolves as done, with a different request id for each turn, if crypto.randomUUID is missing', async () => {
    const { randomUUID } = crypto;
    Object.defineProperty(crypto, 'randomUUID', { value: undefined, configurable: true });
    try {
      backend.answer(replies('Week 3.'), replies('Week 4.'));
      const conversation = createConversation({ url: backend.url });
      expect(await conversation.send('Where do we stand?')).to.deep.equal({ type: 'done' });
      await conversation.send('And then?');
      expect(new Set(backend.requests.map(({ requestId }) => requestId)).size).to.equal(2);
    } finally {
      Object.defineProperty(crypto, 'randomUUID', { value: randomUUID, configurable: true });
    }
  });
});
