import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { Conversation } from '../../../client/chat/conversation.ts';
import { canShowVersion } from '../../../client/chat/conversation-state.ts';
import type { TurnVersions } from '../../../client/chat/turn-versions.ts';
import { fails, replies } from '../../../client-package/testing/fake-backend.ts';
import { until } from '../../../client-package/testing/until.ts';
import { type Harness, lastTurn, shows, startHarness } from './conversation-harness.ts';

describe('The versions of a conversation', () => {
  let harness: Harness;

  beforeEach(async () => {
    harness = await startHarness();
    const { backend, conversation } = harness;
    backend.answer(replies('Hello.'), replies('Week 3.'));
    await conversation.send('Hi');
    await conversation.send('Where do we stand?');
  });

  afterEach(() => harness.backend.close());

  const said = ({ getState }: Conversation) => getState().turns.map(({ question, reply }) => [question, reply]);
  const asItWas = [
    ['Hi', 'Hello.'],
    ['Where do we stand?', 'Week 3.'],
  ];

  /** The versions of the shown turn number `index`. */
  function versionsOf(index: number, { getState } = harness.conversation): TurnVersions | undefined {
    const { turns, versions } = getState();
    return versions.get(turns[index]?.id ?? '');
  }

  function show(id: string | null | undefined): void {
    if (typeof id !== 'string') throw new Error('There is no such version.');
    harness.conversation.showVersion(id);
  }

  async function regenerateAs(reply: string): Promise<void> {
    harness.backend.answer(replies(reply));
    await harness.conversation.regenerate();
  }

  async function editFirst(question: string, reply: string): Promise<void> {
    const { backend, conversation } = harness;
    backend.answer(replies(reply));
    conversation.edit(conversation.getState().turns[0]?.id);
    conversation.setDraft(question);
    await conversation.send(question);
  }

  it('of a reply are all kept when it is regenerated, and the new one is shown', async () => {
    await regenerateAs('Week three.');
    expect(lastTurn(harness.conversation).reply).to.equal('Week three.');
    expect(versionsOf(1)?.reply).to.include({ number: 2, count: 2, nextId: null });
    show(versionsOf(1)?.reply.previousId);
    expect(said(harness.conversation)).to.deep.equal(asItWas);
    expect(versionsOf(1)?.reply).to.include({ number: 1, count: 2, previousId: null });
  });

  it('of a reply that was stopped and of the good one before it are both kept', async () => {
    const { backend, conversation, reopen } = harness;
    const opened = backend.open();
    const again = conversation.regenerate();
    (await opened).write('We');
    await until(conversation, shows('We'));
    conversation.stop();
    await again;
    expect(lastTurn(conversation)).to.deep.include({ reply: 'We', ending: { type: 'stopped' } });
    show(versionsOf(1)?.reply.previousId);
    expect(said(conversation)).to.deep.equal(asItWas);
    expect(said(reopen())).to.deep.equal(asItWas);
  });

  it('of a question begin with any one: the conversation goes on from there, and the other branch stays', async () => {
    await editFirst('Hello there', 'Good morning.');
    const { backend, conversation } = harness;
    expect(backend.requests.at(-1)?.body).to.deep.equal({ messages: [{ role: 'user', content: 'Hello there' }] });
    expect(said(conversation)).to.deep.equal([['Hello there', 'Good morning.']]);
    expect(versionsOf(0)?.question).to.include({ number: 2, count: 2 });
    show(versionsOf(0)?.question.previousId);
    expect(said(conversation)).to.deep.equal(asItWas);
  });

  it('decide what the model is sent: the path that is shown', async () => {
    await regenerateAs('Week three.');
    await editFirst('Hello there', 'Good morning.');
    show(versionsOf(0)?.question.previousId);
    show(versionsOf(1)?.reply.previousId);
    const { backend, conversation } = harness;
    backend.answer(replies('Pricing.'));
    await conversation.send('What is next?');
    expect(backend.requests.at(-1)?.body).to.deep.equal({
      messages: [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: 'Hello.' },
        { role: 'user', content: 'Where do we stand?' },
        { role: 'assistant', content: 'Week 3.' },
        { role: 'user', content: 'What is next?' },
      ],
    });
  });

  it('are shown with the latest turn below them, and so again after a reload', async () => {
    await regenerateAs('Week three.');
    harness.backend.answer(replies('Pricing.'));
    await harness.conversation.send('What is next?');
    show(versionsOf(1)?.reply.previousId);
    expect(said(harness.reopen())).to.deep.equal(asItWas);
    show(versionsOf(1)?.reply.nextId);
    expect(said(harness.conversation)).to.deep.equal([
      asItWas[0],
      ['Where do we stand?', 'Week three.'],
      ['What is next?', 'Pricing.'],
    ]);
  });

  it('cannot be shown while a turn runs: its reply stays where it was asked for', async () => {
    await regenerateAs('Week three.');
    const { backend, conversation, reopen } = harness;
    const opened = backend.open();
    const sent = conversation.send('What is next?');
    const response = await opened;
    response.write('Pri');
    await until(conversation, shows('Pri'));
    conversation.keep();
    const { turns } = conversation.getState();
    show(versionsOf(1)?.reply.previousId);
    expect(conversation.getState().turns).to.equal(turns);
    for (const tab of [conversation, reopen()]) expect(canShowVersion(tab.getState())).to.equal(false);
    response.end('cing.');
    await sent;
    expect(canShowVersion(conversation.getState())).to.equal(true);
  });

  it('that another tab shows or asks for are not shown here; what it asks after this one is', async () => {
    const { backend, conversation, reopen } = harness;
    const otherTab = reopen();
    backend.answer(replies('Week three.'), replies('Pricing.'));
    await otherTab.regenerate();
    conversation.takeIn();
    expect(said(conversation)).to.deep.equal(asItWas);
    expect(versionsOf(1)?.reply).to.include({ number: 1, count: 2 });
    otherTab.showVersion(lastTurn(conversation).id);
    await otherTab.send('What is next?');
    conversation.takeIn();
    expect(said(conversation)).to.deep.equal([...asItWas, ['What is next?', 'Pricing.']]);
  });

  it('forget a setback once another one is shown', async () => {
    await regenerateAs('Week three.');
    const { backend, conversation } = harness;
    backend.answer(fails('INTERNAL'));
    await conversation.regenerate();
    expect(conversation.getState().setback).to.not.equal(null);
    show(versionsOf(1)?.reply.previousId);
    expect(conversation.getState().setback).to.equal(null);
  });

  it('of a question that got no answer are kept too; the same one asked again takes its place', async () => {
    const { backend, conversation } = harness;
    backend.answer(fails('INTERNAL'), fails('INTERNAL'), replies('Pricing.'));
    await conversation.send('Next?');
    conversation.edit();
    await conversation.send('Next?');
    expect(conversation.getState().tree.turns).to.have.length(3);
    conversation.edit();
    conversation.setDraft('What is next?');
    await conversation.send('What is next?');
    expect(lastTurn(conversation)).to.include({ question: 'What is next?', reply: 'Pricing.' });
    expect(versionsOf(2)?.question).to.include({ number: 2, count: 2 });
  });
});
