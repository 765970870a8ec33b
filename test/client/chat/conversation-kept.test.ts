import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { type Harness, lastTurn, shows, startHarness, storageKey, until } from './conversation-harness.ts';
import { replies, staysSilent } from './fake-backend.ts';
import { createFakeStorage } from './fake-storage.ts';

describe('A conversation on the device', () => {
  let harness: Harness;

  beforeEach(async () => {
    harness = await startHarness();
  });

  afterEach(() => harness.backend.close());

  it('is there again after a reload, with its id', async () => {
    const { backend, conversation, reopen } = harness;
    backend.answer(replies('Week 3.', 'c123456789012345678901234'), replies('Pricing.'));
    await conversation.send('Where do we stand?');
    const reopened = reopen();
    expect(reopened.getState().turns).to.deep.equal(conversation.getState().turns);
    await reopened.send('What is next?');
    expect(backend.requests.at(-1)?.body).to.include({ conversationId: 'c123456789012345678901234' });
  });

  it('takes a turn that a reload cut off for interrupted', async () => {
    const { backend, conversation, reopen } = harness;
    backend.answer(staysSilent);
    const sent = conversation.send('Where do we stand?');
    expect(lastTurn(reopen()).ending).to.deep.equal({ type: 'interrupted', requestId: 'turn-1' });
    conversation.stop();
    await sent;
  });

  it('keeps a running reply and the draft when the page is left', async () => {
    const { backend, conversation, reopen } = harness;
    const opened = backend.open();
    const sent = conversation.send('Where do we stand?');
    (await opened).write('We are');
    await until(conversation, shows('We are'));
    conversation.setDraft('And then?');
    conversation.leave();
    await sent;
    expect(reopen().getState().draft).to.equal('And then?');
    expect(lastTurn(reopen())).to.deep.include({ reply: 'We are', ending: { type: 'stopped' } });
  });

  it('does not undo what another tab has kept since', async () => {
    const { backend, conversation, reopen } = harness;
    const otherTab = reopen();
    backend.answer(replies('Week 3.'));
    await conversation.send('Where do we stand?');
    otherTab.leave();
    expect(lastTurn(reopen()).reply).to.equal('Week 3.');
  });

  it('starts over as a new conversation, and keeps only the draft', async () => {
    const { backend, conversation } = harness;
    backend.answer(replies('Week 3.', 'c123456789012345678901234'), replies('Hello.'));
    await conversation.send('Where do we stand?');
    conversation.setDraft('Something else');
    conversation.startOver();
    expect(conversation.getState()).to.deep.include({ turns: [], draft: 'Something else' });
    await conversation.send('Something else');
    expect(backend.requests.at(-1)?.body).to.deep.equal({ messages: [{ role: 'user', content: 'Something else' }] });
  });

  it('leaves nothing behind when cleared, not even when a running reply ends or the page is left', async () => {
    const { backend, conversation, storage } = harness;
    const opened = backend.open('c123456789012345678901234');
    const sent = conversation.send('Where do we stand?');
    (await opened).write('We are');
    await until(conversation, shows('We are'));
    conversation.setDraft('And then?');
    conversation.clear();
    await sent;
    conversation.leave();
    expect(conversation.getState()).to.deep.include({ turns: [], draft: '' });
    expect([...storage.items.keys()]).to.deep.equal([]);
  });

  it('goes on in memory where the storage is full, and says so', async () => {
    const full = await startHarness(createFakeStorage(0));
    full.backend.answer(replies('Week 3.'));
    await full.conversation.send('Where do we stand?');
    expect(lastTurn(full.conversation).reply).to.equal('Week 3.');
    expect(full.conversation.getState().kept).to.equal(false);
    expect(full.storage.items.has(storageKey)).to.equal(false);
    await full.backend.close();
  });
});
