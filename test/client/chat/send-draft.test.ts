import { expect } from 'chai';
import { describe, it } from 'mocha';
import { fails, replies } from '../../../client-package/testing/fake-backend.ts';
import { harnessPerTest } from './conversation-harness.ts';

describe('conversation.send', () => {
  const harness = harnessPerTest();

  const sentMessages = () => harness.backend.requests.map(({ body }) => (body as { messages: object[] }).messages);

  it('sends the draft if it is called without a text', async () => {
    const { backend, conversation } = harness;
    backend.answer(replies('Week 3.'));
    conversation.setDraft('Where do we stand?');
    await conversation.send();
    expect(sentMessages()).to.deep.equal([[{ role: 'user', content: 'Where do we stand?' }]]);
    expect(conversation.getState().draft.text).to.equal('');
  });

  it('sends the draft if it is used as an event handler', async () => {
    const { backend, conversation } = harness;
    backend.answer(replies('Week 3.'));
    conversation.setDraft('Where do we stand?');
    const button = new EventTarget();
    const { promise, resolve } = Promise.withResolvers();
    const { send } = conversation;
    // @ts-expect-error JavaScript passes the event.
    button.addEventListener('click', (event) => resolve(send(event)));
    button.dispatchEvent(new Event('click'));
    await promise;
    expect(sentMessages()).to.deep.equal([[{ role: 'user', content: 'Where do we stand?' }]]);
  });

  it('clears the draft even if it differs from the text that is sent', async () => {
    const { backend, conversation } = harness;
    backend.answer(replies('Week 3.'));
    conversation.setDraft('  Where do we stand? ');
    await conversation.send('Where do we stand?');
    expect(conversation.getState().draft.text).to.equal('');
  });

  it('keeps text that is typed after the call', async () => {
    const { backend, conversation } = harness;
    backend.answer(replies('Week 3.'));
    conversation.setDraft('Where do we stand?');
    const sent = conversation.send();
    conversation.setDraft('And then?');
    await sent;
    expect(conversation.getState().draft.text).to.equal('And then?');
  });

  it('ends the edit with the changed question, so that the next question follows it', async () => {
    const { backend, conversation } = harness;
    backend.answer(replies('Week 3.'), replies('Week 4.'), replies('Week 5.'));
    await conversation.send('Where do we stand?');
    conversation.setDraft('Set aside');
    conversation.edit();
    await conversation.send('Where do we stand now?');
    expect(conversation.getState().draft).to.deep.include({ text: 'Set aside', setAside: null, editedId: null });
    await conversation.send('And then?');
    const questions = conversation.getState().turns.map(({ question }) => question);
    expect(questions).to.deep.equal(['Where do we stand now?', 'And then?']);
  });

  it('ends the edit even if the question is unchanged', async () => {
    const { backend, conversation } = harness;
    backend.answer(replies('Week 3.'), replies('Week 4.'));
    await conversation.send('Where do we stand?');
    conversation.edit();
    await conversation.send();
    expect(conversation.getState().draft).to.deep.include({ text: '', setAside: null, editedId: null });
  });

  it('restores a refused question to the draft', async () => {
    const { backend, conversation } = harness;
    backend.answer(fails('UNAUTHENTICATED'));
    conversation.setDraft('Where do we stand? ');
    await conversation.send('Where do we stand?');
    expect(conversation.getState().draft).to.deep.include({ text: 'Where do we stand?', wasRefused: true });
    expect(conversation.getState().turns).to.have.length(0);
  });

  it('reports each attempt to onAttempt', async () => {
    const { backend, clock, open } = harness;
    const reports: object[] = [];
    const conversation = open({ onAttempt: (report) => reports.push(report) });
    backend.answer(fails('UPSTREAM_OVERLOADED'), replies('Week 3.'));
    const sent = conversation.send('Where do we stand?');
    while (conversation.getState().phase.name !== 'idle') await clock.advance(1000);
    await sent;
    expect(reports).to.have.length(2);
    expect(reports[0]).to.deep.nested.include({
      attempt: 1,
      requestId: 'turn-1',
      'outcome.code': 'UPSTREAM_OVERLOADED',
    });
    expect(reports[1]).to.deep.equal({ attempt: 2, requestId: 'turn-1', outcome: { type: 'done' } });
  });
});
