import { expect } from 'chai';
import { describe, it } from 'mocha';
import { fails, replies } from '../../../client-package/testing/fake-backend.ts';
import { isIdle, until } from '../../../client-package/testing/until.ts';
import { harnessOfEachTest, shows } from './conversation-harness.ts';

describe('A queued question', () => {
  const harness = harnessOfEachTest();

  /** Starts a turn whose reply streams until the returned response ends. */
  async function startStreaming() {
    const { backend, conversation } = harness;
    const opened = backend.open();
    const sent = conversation.send('Where do we stand?');
    const response = await opened;
    response.write('Week 3');
    await until(conversation, shows('Week 3'));
    return { sent, response };
  }

  const questions = () => harness.conversation.getState().turns.map(({ question }) => question);

  it('is sent as a separate turn, after the questions queued before it', async () => {
    const { backend, conversation } = harness;
    const { sent, response } = await startStreaming();
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

  it('waits after a failed reply, and is sent once a retry has completed', async () => {
    const { backend, conversation } = harness;
    const { sent, response } = await startStreaming();
    conversation.queue('What is next?');
    response.destroy();
    expect((await sent)?.type).to.equal('interrupted');
    expect(conversation.getState().draft.queued).to.deep.equal(['What is next?']);

    backend.answer(replies('Week 3.'), replies('Pricing.'));
    await conversation.tryAgain();
    expect(questions()).to.deep.equal(['Where do we stand?', 'What is next?']);
  });

  it('waits after a reply that may have been cut at its maximum length', async () => {
    const { backend, conversation } = harness;
    const { sent, response } = await startStreaming();
    conversation.queue('What is next?');
    response.end(` ${'of waiting '.repeat(30)}`);
    await sent;
    expect(backend.requests).to.have.length(1);
    expect(conversation.getState().draft.queued).to.deep.equal(['What is next?']);
    expect(conversation.getState().turns.map(conversation.mayBeCut)).to.deep.equal([true]);
    expect(conversation.mayBeCut({ reply: 'of waiting '.repeat(30), ending: { type: 'stopped' } })).to.equal(false);
  });

  it('returns to the draft if the service refuses it because the session has ended', async () => {
    const { backend, conversation } = harness;
    const { sent, response } = await startStreaming();
    conversation.queue('What is next?');
    backend.answer(fails('UNAUTHENTICATED'));
    response.end('.');
    await sent;
    expect(conversation.getState().draft).to.deep.include({ text: 'What is next?', queued: [], wasRefused: true });
  });

  it('is accepted only once the request of the running turn has been sent', async () => {
    const { backend, conversation } = harness;
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
