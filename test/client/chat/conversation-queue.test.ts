import { expect } from 'chai';
import { describe, it } from 'mocha';
import { fails, replies } from '../../../client-package/testing/fake-backend.ts';
import { isIdle, until } from '../../../client-package/testing/until.ts';
import { harnessOfEachTest, shows } from './conversation-harness.ts';

describe('A question in line', () => {
  const harness = harnessOfEachTest();

  /** A conversation whose first reply has begun, and the way to write the rest of it. */
  async function begun() {
    const { backend, conversation } = harness;
    const opened = backend.open();
    const sent = conversation.send('Where do we stand?');
    const response = await opened;
    response.write('Week 3');
    await until(conversation, shows('Week 3'));
    return { sent, response };
  }

  const questions = () => harness.conversation.getState().turns.map(({ question }) => question);

  it('is one: what is put in line behind it becomes a paragraph of it, as does what is typed when it is taken back', async () => {
    const { conversation } = harness;
    await begun();
    conversation.composer.queue('What is next?');
    conversation.composer.queue('  ');
    conversation.composer.queue('And then?');
    expect(conversation.composer.getState().queued).to.equal('What is next?\n\nAnd then?');
    conversation.composer.setDraft('So?');
    conversation.composer.takeBack();
    const draft = 'What is next?\n\nAnd then?\n\nSo?';
    expect(conversation.composer.getState()).to.include({ draft, queued: null });
    conversation.stop();
  });

  it('joins the draft that is set aside when it is taken back while a question is edited', async () => {
    const { conversation } = harness;
    const { sent, response } = await begun();
    const { composer } = conversation;
    composer.queue('What is next?');
    response.destroy();
    await sent;
    composer.setDraft('So?');
    composer.edit();
    composer.takeBack();
    expect(composer.getState()).to.include({ draft: 'Where do we stand?', setAside: 'What is next?\n\nSo?' });
    expect(composer.getState().queued).to.equal(null);
  });

  it('waits for the person where the reply has failed, and goes out once another try has ended whole', async () => {
    const { backend, conversation } = harness;
    const { sent, response } = await begun();
    conversation.composer.queue('What is next?');
    response.destroy();
    expect((await sent)?.type).to.equal('interrupted');
    expect(conversation.composer.getState().queued).to.equal('What is next?');

    backend.answer(replies('Week 3.'), replies('Pricing.'));
    await conversation.tryAgain();
    expect(questions()).to.deep.equal(['Where do we stand?', 'What is next?']);
  });

  it('waits for the person where the reply may have been cut at its maximum length', async () => {
    const { backend, conversation } = harness;
    const { sent, response } = await begun();
    conversation.composer.queue('What is next?');
    response.end(` ${'of waiting '.repeat(30)}`);
    await sent;
    expect(backend.requests).to.have.length(1);
    expect(conversation.composer.getState().queued).to.equal('What is next?');
    expect(conversation.getState().turns.map(conversation.mayBeCut)).to.deep.equal([true]);
    expect(conversation.mayBeCut({ reply: 'of waiting '.repeat(30), ending: { type: 'stopped' } })).to.equal(false);
  });

  it('is in line no more in another tab, once it has been sent', async () => {
    const { backend, conversation, reopen } = harness;
    const { sent, response } = await begun();
    conversation.composer.queue('What is next?');
    const otherTab = reopen();
    expect(otherTab.composer.getState().queued).to.equal('What is next?');
    backend.answer(replies('Pricing.'));
    response.end('.');
    await sent;
    otherTab.takeIn();
    expect(otherTab.composer.getState().queued).to.equal(null);
  });

  it('comes back into the message field where the service does not talk to the person any more', async () => {
    const { backend, conversation } = harness;
    const { sent, response } = await begun();
    conversation.composer.queue('What is next?');
    backend.answer(fails('UNAUTHENTICATED'));
    response.end('.');
    await sent;
    expect(conversation.composer.getState()).to.include({ draft: 'What is next?', queued: null, wasRefused: true });
  });

  it('is put there only while a reply is awaited', async () => {
    const { backend, conversation } = harness;
    conversation.composer.queue('What is next?');
    expect(conversation.composer.getState().queued).to.equal(null);
    backend.answer(replies('Week 3.'));
    void conversation.send('Where do we stand?');
    // Nothing has gone out yet: a second press of Enter is the same question.
    conversation.composer.queue('Where do we stand?');
    await until(conversation, (state) => state.turns.length > 0 && isIdle(state));
    expect(questions()).to.deep.equal(['Where do we stand?']);
  });
});
