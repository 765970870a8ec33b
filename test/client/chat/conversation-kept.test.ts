import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { replies } from '../../../client-package/testing/fake-backend.ts';
import { createFakeStorage } from '../../../client-package/testing/fake-storage.ts';
import { until } from '../../../client-package/testing/until.ts';
import { type Harness, lastTurn, shows, startHarness, storageKey } from './conversation-harness.ts';

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

  it('keeps a growing reply once a second, and takes it for cut off where no tab writes it any more', async () => {
    const { backend, clock, conversation, storage, reopen } = harness;
    const opened = backend.open();
    const askedAt = clock.now();
    conversation.send('Where do we stand?');
    const response = await opened;
    response.write('We are');
    await until(conversation, shows('We are'));
    const keptReply = () => /"reply":"([^"]*)"/.exec(storage.getItem(storageKey) ?? '')?.[1];
    await clock.advance(999);
    expect(keptReply()).to.equal('');
    await clock.advance(1);
    expect(keptReply()).to.equal('We are');

    response.write(' in week 3');
    await until(conversation, shows('We are in week 3'));
    conversation.keep();
    const crashed = createFakeStorage();
    for (const [key, value] of storage.items) crashed.setItem(key, value);
    const afterCrash = await startHarness(crashed);
    await using _backend = afterCrash.backend;
    const { turns } = await until(afterCrash.conversation, ({ turns }) => turns.at(-1)?.ending !== null);
    expect(turns).to.deep.equal([
      {
        id: 'turn-1',
        parentId: null,
        requestId: 'turn-1',
        question: 'Where do we stand?',
        reply: 'We are in week 3',
        ending: { type: 'left', requestId: 'turn-1' },
        askedAt,
      },
    ]);

    expect(lastTurn(reopen()).ending).to.equal(null);
    conversation.stop();
  });

  it('keeps a running reply and the draft when the page is left, and can ask again', async () => {
    const { backend, conversation, reopen } = harness;
    const opened = backend.open();
    const sent = conversation.send('Where do we stand?');
    (await opened).write('We are');
    await until(conversation, shows('We are'));
    conversation.setDraft('And then?');
    conversation.leave();
    await sent;
    const reopened = reopen();
    expect(reopened.getState().draft).to.equal('And then?');
    expect(lastTurn(reopened)).to.deep.include({ reply: 'We are', ending: { type: 'left', requestId: 'turn-1' } });
    backend.answer(replies('Week 3.'));
    await reopened.tryAgain();
    expect(reopened.getState().turns).to.have.length(1);
    expect(lastTurn(reopened)).to.deep.include({ requestId: 'turn-1', reply: 'Week 3.', ending: { type: 'done' } });
  });

  it('keeps what is typed half a second later, and at once when the page is hidden', async () => {
    const { clock, conversation, reopen } = harness;
    conversation.setDraft('Where');
    await clock.advance(499);
    expect(reopen().getState().draft).to.equal('');
    await clock.advance(1);
    expect(reopen().getState().draft).to.equal('Where');
    conversation.setDraft('Where do we');
    conversation.keep();
    expect(reopen().getState().draft).to.equal('Where do we');
  });

  it('keeps what was typed while another question was sent', async () => {
    const { backend, conversation, reopen } = harness;
    backend.answer(replies('Week 3.'));
    conversation.setDraft('And then?');
    await conversation.send('Where do we stand?');
    expect(reopen().getState().draft).to.equal('And then?');
  });

  it('takes in what another tab has said since, and leaves what is typed here', async () => {
    const { backend, conversation, reopen } = harness;
    const otherTab = reopen();
    otherTab.setDraft('Typed there');
    backend.answer(replies('Week 3.', 'c123456789012345678901234'), replies('Pricing.'));
    await conversation.send('Where do we stand?');
    otherTab.takeIn();
    expect(otherTab.getState()).to.deep.include({ turns: conversation.getState().turns, draft: 'Typed there' });
    await otherTab.send('Typed there');
    expect(backend.requests.at(-1)?.body).to.include({ conversationId: 'c123456789012345678901234' });
  });

  it('does not undo what another tab has kept since', async () => {
    const { backend, conversation, reopen } = harness;
    const otherTab = reopen();
    backend.answer(replies('Week 3.'));
    await conversation.send('Where do we stand?');
    otherTab.leave();
    expect(lastTurn(reopen()).reply).to.equal('Week 3.');
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

  it('goes on in memory where the storage is full', async () => {
    const full = await startHarness(createFakeStorage(0));
    await using _backend = full.backend;
    full.backend.answer(replies('Week 3.'));
    await full.conversation.send('Where do we stand?');
    expect(lastTurn(full.conversation).reply).to.equal('Week 3.');
    expect(full.storage.items.has(storageKey)).to.equal(false);
  });
});
