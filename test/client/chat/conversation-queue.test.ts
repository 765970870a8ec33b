import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { Conversation } from '../../../client/chat/conversation-interface.ts';
import { canQueue } from '../../../client/chat/conversation-state.ts';
import { fails, hangsUp, replies } from '../../../client-package/testing/fake-backend.ts';
import { isIdle, until } from '../../../client-package/testing/until.ts';
import { harnessPerTest, questionsOf } from './conversation-harness.ts';

describe('A queued question', () => {
  const { backend, conversation, stream } = harnessPerTest();

  const questions = () => questionsOf(conversation);

  it('is sent as a separate turn, after the questions queued before it', async () => {
    const { sent, response } = await stream('Week 3');
    conversation.queue('What is next?');
    conversation.queue('  ');
    conversation.queue('And then?');
    expect(conversation.getState().draft.queued).to.deep.equal(['What is next?', 'And then?']);
    backend.answer(replies('Pricing.'), replies('Hiring.'));
    response.end('.');
    await sent;
    expect(questions()).to.deep.equal(['Where do we stand?', 'What is next?', 'And then?']);
    expect(conversation.getState().draft.queued).to.deep.equal([]);
  });

  it('is not sent by sendQueued() while a reply is running, and follows the question that the user sends after a stop', async () => {
    const { sent } = await stream('Week 3');
    conversation.queue('What is next?');
    expect(await conversation.sendQueued()).to.equal(null);
    expect(backend.requests).to.have.length(1);
    conversation.stop();
    expect(await sent).to.deep.equal({ type: 'stopped' });
    expect(conversation.getState().draft.queued).to.deep.equal(['What is next?']);
    backend.answer(replies('Week 4.'), replies('Pricing.'));
    await conversation.send('And now?');
    expect(questions()).to.deep.equal(['Where do we stand?', 'And now?', 'What is next?']);
  });

  it('is marked as sent automatically, unless the user sends it', async () => {
    const isAutomatic = () => conversation.getState().wasSentAutomatically;
    const { sent, response } = await stream('Week 3');
    expect(isAutomatic()).to.equal(false);
    conversation.queue('What is next?');
    conversation.queue('And then?');
    backend.answer(replies('Pricing.'), hangsUp, replies('Hiring.'), replies('Sales.'));
    conversation.queue('So?');
    response.end('.');
    await sent;
    expect(questions()).to.deep.equal(['Where do we stand?', 'What is next?', 'And then?']);
    expect(isAutomatic()).to.equal(true);
    await conversation.sendQueued();
    expect(questions().at(-1)).to.equal('So?');
    expect(isAutomatic()).to.equal(false);
  });

  it('waits after a failed reply, and is sent once a retry has completed', async () => {
    const { sent, response } = await stream('Week 3');
    conversation.queue('What is next?');
    response.destroy();
    expect((await sent)?.type).to.equal('interrupted');
    expect(conversation.getState().draft.queued).to.deep.equal(['What is next?']);

    backend.answer(replies('Week 3.'), replies('Pricing.'));
    await conversation.tryAgain();
    expect(questions()).to.deep.equal(['Where do we stand?', 'What is next?']);
  });

  for (const [what, branchOff] of [
    ['another version of an earlier reply is requested', (conversation) => conversation.regenerate('turn-1')],
    [
      'an edited question is sent',
      (conversation) => {
        conversation.edit('turn-1');
        conversation.setDraft('Good morning');
        return conversation.send('Good morning');
      },
    ],
    [
      'the last question is reworded and sent again',
      (conversation) => {
        conversation.edit();
        conversation.setDraft('Where are we?');
        return conversation.send('Where are we?');
      },
    ],
  ] as const satisfies [string, (conversation: Conversation) => Promise<unknown>][]) {
    it(`returns to the draft after the user stops the reply if ${what}`, async () => {
      backend.answer(replies('Hello.'));
      await conversation.send('Hi');
      const { sent } = await stream('Week 3');
      conversation.queue('What is next?');
      conversation.queue('And then?');
      conversation.stop();
      await sent;
      conversation.setDraft('So?');
      const count = backend.requests.length;
      backend.answer(replies('Good morning.'), replies('Pricing.'), replies('Hiring.'));
      await branchOff(conversation);
      expect(backend.requests).to.have.length(count + 1);
      expect(conversation.getState().draft).to.deep.include({ text: 'What is next?\n\nAnd then?\n\nSo?', queued: [] });
    });
  }

  it('keeps waiting if another version of the last reply is shown, but returns to the draft on another branch', async () => {
    backend.answer(replies('Hello.'), replies('Good morning.'));
    await conversation.send('Hi');
    await conversation.regenerate();
    const { sent, response } = await stream('Week 3');
    conversation.queue('What is next?');
    response.destroy();
    await sent;
    backend.answer(fails('INTERNAL'));
    await conversation.tryAgain();
    conversation.showVersion(conversation.getState().versions.get('turn-4')?.reply.previousId ?? '');
    expect(conversation.getState().draft.queued).to.deep.equal(['What is next?']);
    conversation.showVersion('turn-1');
    expect(conversation.getState().draft).to.deep.include({ text: 'What is next?', queued: [] });
  });

  it('waits after a reply that may have been cut at its maximum length', async () => {
    const { sent, response } = await stream('Week 3');
    conversation.queue('What is next?');
    response.end(` ${'of waiting '.repeat(30)}`);
    await sent;
    expect(backend.requests).to.have.length(1);
    expect(conversation.getState().draft.queued).to.deep.equal(['What is next?']);
    expect(conversation.getState().turns.map(conversation.mayBeTruncated)).to.deep.equal([true]);
    expect(conversation.mayBeTruncated({ reply: 'of waiting '.repeat(30), ending: { type: 'stopped' } })).to.equal(
      false,
    );
  });

  it('returns to the draft if the service refuses it because the session has ended', async () => {
    const { sent, response } = await stream('Week 3');
    conversation.queue('What is next?');
    backend.answer(fails('UNAUTHENTICATED'));
    response.end('.');
    await sent;
    expect(conversation.getState().draft).to.deep.include({ text: 'What is next?', queued: [], wasRefused: true });
  });

  it('is not accepted after ten others until one has been removed', async () => {
    const { sent, response } = await stream('Week 3');
    const names = Array.from({ length: 11 }, (_, index) => `Question ${index + 1}?`);
    for (const name of names) conversation.queue(name);
    expect(conversation.getState().draft.queued).to.deep.equal(names.slice(0, 10));
    expect(canQueue(conversation.getState())).to.equal(false);
    conversation.removeQueued(0);
    conversation.queue('Question 11?');
    expect(conversation.getState().draft.queued).to.deep.equal(names.slice(1));
    conversation.stop();
    response.destroy();
    await sent;
  });

  it('is not accepted until the request of the running turn has been sent', async () => {
    conversation.queue('What is next?');
    expect(conversation.getState().draft.queued).to.deep.equal([]);
    backend.answer(replies('Week 3.'));
    void conversation.send('Where do we stand?');
    // The request has not been sent yet, so this is a repeated key press of the same question.
    conversation.queue('Where do we stand?');
    await until(conversation, (state) => state.turns.length > 0 && isIdle(state));
    expect(questions()).to.deep.equal(['Where do we stand?']);
  });
});
