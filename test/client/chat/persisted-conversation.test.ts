import { expect } from 'chai';
import { describe, it } from 'mocha';
import { emptyDraft } from '../../../client/chat/draft.ts';
import { createTranscript } from '../../../client/chat/transcript.ts';
import { replies } from '../../../client-package/testing/fake-backend.ts';
import { createFakeLock } from '../../../client-package/testing/fake-lock.ts';
import { createFakeStorage } from '../../../client-package/testing/fake-storage.ts';
import { until } from '../../../client-package/testing/until.ts';
import { harnessPerTest, lastTurn, repliesOf, shows, storageKey } from './conversation-harness.ts';
import { turn } from './turns.ts';

describe('A persisted conversation', () => {
  const { backend, clock, conversation, open, reopen, storage, stream } = harnessPerTest();

  it('is written once a second while a reply streams, and has the ending `left` after a crash', async () => {
    const askedAt = clock.now();
    const { response } = await stream('We are');
    const storedReply = () => /"reply":"([^"]*)"/.exec(storage.getItem(storageKey) ?? '')?.[1];
    await clock.advance(999);
    expect(storedReply()).to.equal('');
    await clock.advance(1);
    expect(storedReply()).to.equal('We are');

    response.write(' in week 3');
    await until(conversation, shows('We are in week 3'));
    conversation.persist();
    const crashed = createFakeStorage();
    for (const [key, value] of storage.items) crashed.setItem(key, value);
    const afterCrash = open({ transcript: createTranscript(crashed, storageKey), lock: createFakeLock() });
    const { turns } = await until(afterCrash, ({ turns }) => turns.at(-1)?.ending !== null);
    const ids = { id: 'turn-1', requestId: 'turn-1' };
    const ending = { type: 'left', requestId: 'turn-1' } as const;
    expect(turns).to.deep.equal([turn('Where do we stand?', 'We are in week 3', { ...ids, ending, askedAt })]);

    expect(lastTurn(reopen()).ending).to.equal(null);
    conversation.stop();
  });

  it('stores the id of the conversation within a second, before the first text', async () => {
    const opened = backend.open('c1');
    const sent = conversation.send('Where do we stand?');
    (await opened).flushHeaders();
    await until(conversation, ({ conversationId }) => conversationId === 'c1');
    await clock.advance(1000);
    expect(reopen().getState().conversationId).to.equal('c1');
    conversation.stop();
    await sent;
  });

  it('stores the draft after half a second, and immediately when the page is hidden', async () => {
    conversation.setDraft('Where');
    await clock.advance(499);
    expect(reopen().getState().draft.text).to.equal('');
    await clock.advance(1);
    expect(reopen().getState().draft.text).to.equal('Where');
    conversation.setDraft('Where do we');
    conversation.persist();
    expect(reopen().getState().draft.text).to.equal('Where do we');
  });

  it('stores a draft that was typed while a question was being sent', async () => {
    backend.answer(replies('Week 3.'));
    const sent = conversation.send('Where do we stand?');
    conversation.setDraft('And then?');
    await sent;
    expect(reopen().getState().draft.text).to.equal('And then?');
  });

  it('merges the turns of another tab without replacing its draft', async () => {
    const otherTab = reopen();
    otherTab.setDraft('Typed there');
    backend.answer(replies('Week 3.', 'c123456789012345678901234'), replies('Pricing.'));
    await conversation.send('Where do we stand?');
    otherTab.loadStored();
    expect(otherTab.getState().turns).to.deep.equal(conversation.getState().turns);
    expect(otherTab.getState().draft.text).to.equal('Typed there');
    await otherTab.send('Typed there');
    expect(backend.requests.at(-1)?.body).to.include({ conversationId: 'c123456789012345678901234' });
  });

  it('writes each draft only once, so that it does not replace a later draft of another tab', async () => {
    conversation.setDraft('Where');
    conversation.persist();
    createTranscript(storage, storageKey).saveDraft({ ...emptyDraft, text: 'And then?' });
    await clock.advance(500);
    expect(reopen().getState().draft.text).to.equal('And then?');
  });

  it('keeps the draft that another tab has stored, whatever a tab without a draft does', async () => {
    backend.answer(replies('Week 3.'), replies('Pricing.'));
    await conversation.send('Where do we stand?');
    const otherTab = reopen();
    otherTab.setDraft('And then?');
    otherTab.persist();
    for (const write of [conversation.regenerate, conversation.loadStored, conversation.persist, conversation.leave]) {
      await write();
      expect(reopen().getState().draft.text).to.equal('And then?');
    }
  });

  it('keeps the draft of another tab after that tab has sent a question that was queued in both tabs', async () => {
    const { sent, response } = await stream('Week ');
    conversation.queue('And then?');
    const otherTab = reopen();
    backend.answer(replies('Pricing.'));
    response.end('3.');
    await sent;
    conversation.setDraft('Why?');
    conversation.persist();
    otherTab.loadStored();
    expect(otherTab.getState().draft.queued).to.deep.equal([]);
    otherTab.persist();
    expect(reopen().getState().draft.text).to.equal('Why?');
  });

  it('deletes the draft of another tab when the conversation is cleared', () => {
    const otherTab = reopen();
    otherTab.setDraft('And then?');
    otherTab.persist();
    conversation.clear();
    expect(reopen().getState().draft.text).to.equal('');
  });

  it('writes nothing when it is hidden, merges the turns of another tab, or is left', async () => {
    const otherTab = reopen();
    backend.answer(replies('Week 3.'));
    await conversation.send('Where do we stand?');
    const written: string[] = [];
    const { setItem } = storage;
    storage.setItem = (key, value) => {
      written.push(key);
      setItem(key, value);
    };
    otherTab.persist();
    otherTab.loadStored();
    expect(lastTurn(otherTab).reply).to.equal('Week 3.');
    otherTab.leave();
    expect(written).to.deep.equal([]);
  });

  it('writes nothing once its reply has ended, so that the next turn of another tab is not overwritten', async () => {
    const { sent, response } = await stream('In week');
    response.end(' 3.');
    await sent;
    await clock.advance(500);
    backend.answer(replies('Go on.'));
    await reopen().send('And then?');
    await clock.advance(500);
    expect(repliesOf(reopen())).to.deep.equal(['In week 3.', 'Go on.']);
  });
});
