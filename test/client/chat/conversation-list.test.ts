import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { adoptTranscript } from '../../../client/chat/adopt-transcript.ts';
import { createConversationList } from '../../../client/chat/conversation-list.ts';
import { nothingTyped } from '../../../client/chat/typed.ts';
import { deviceKeys, forgetPerson } from '../../../client/device-storage.ts';
import { createFakeClock } from '../../../client-package/testing/fake-clock.ts';
import { createFakeStorage, type FakeStorage } from '../../../client-package/testing/fake-storage.ts';
import { record, turn } from './turns.ts';

describe('The list of conversations', () => {
  let storage: FakeStorage;
  let clock: ReturnType<typeof createFakeClock>;

  beforeEach(() => {
    storage = createFakeStorage();
    clock = createFakeClock();
  });

  const open = (userId = 'ada') => createConversationList(storage, deviceKeys.conversations(userId), clock);
  const titles = (list = open()) => list.getState().entries.map(({ name, title }) => name || title);

  it('has each conversation under the title of its first question, the latest first', async () => {
    const list = open();
    list.transcript('one').saveTurns(record(turn('  Where do\nwe stand? '), turn('And then?')));
    await clock.advance(1000);
    list.transcript('two').saveTurns(record(turn('x'.repeat(100))));
    expect(titles(list)).to.deep.equal([`${'x'.repeat(79)}…`, 'Where do we stand?']);
    await clock.advance(1000);
    list.transcript('one').saveTurns(record(turn('Where do we stand?'), turn('And then?'), turn('Go on')));
    expect(titles()).to.deep.equal(['Where do we stand?', `${'x'.repeat(79)}…`]);
  });

  it('has a conversation that is only typed so far, until that is deleted', () => {
    const list = open();
    const transcript = list.transcript('one');
    transcript.saveTyped({ ...nothingTyped, draft: 'Where' });
    expect(titles(list)).to.deep.equal(['Where']);
    transcript.saveTyped(nothingTyped);
    expect(titles(list)).to.deep.equal([]);
    expect([...storage.items]).to.deep.equal([[list.indexKey, '[]']]);
  });

  it('is there again after a reload, and in another tab once that takes it in', () => {
    const [list, otherTab] = [open(), open()];
    list.transcript('one').saveTurns(record(turn('Where do we stand?')));
    otherTab.transcript('two').saveTurns(record(turn('What is next?')));
    list.takeIn();
    for (const seen of [list, otherTab, open()]) expect(titles(seen)).to.have.members(titles());
    expect(titles()).to.have.length(2);
  });

  it('calls a conversation what the person calls it, until they take the name away', () => {
    const list = open();
    const transcript = list.transcript('one');
    transcript.saveTurns(record(turn('Where do we stand?')));
    list.rename('one', ' Status ');
    transcript.saveTurns(record(turn('Where do we stand?'), turn('And then?')));
    expect(titles()).to.deep.equal(['Status']);
    list.rename('one', ' ');
    expect(titles()).to.deep.equal(['Where do we stand?']);
  });

  it('removes a conversation and all that was in it', () => {
    const list = open();
    list.transcript('one').saveTurns(record(turn('Where do we stand?')));
    list.transcript('one').saveTyped({ ...nothingTyped, draft: 'And then?' });
    list.remove('one');
    expect(titles(list)).to.deep.equal([]);
    expect([...storage.items]).to.deep.equal([[list.indexKey, '[]']]);
  });

  it('finds conversations by name, title, question and reply, whatever the case', () => {
    const list = open();
    list.transcript('one').saveTurns(record(turn('Where do we stand?', 'In week 3.')));
    list.transcript('two').saveTurns(record(turn('Prices'), turn('And suppliers?', 'Two of them.')));
    list.rename('two', 'Market');
    const found = (words: string) => list.search(words).map(({ id }) => id);
    expect(found('WEEK 3')).to.have.members(['one', 'two']);
    expect(found('in week')).to.deep.equal(['one']);
    expect(found('stand')).to.deep.equal(['one']);
    for (const words of ['market', 'prices', 'SUPPLIERS', ' two of ']) expect(found(words)).to.deep.equal(['two']);
    expect(found('lead time')).to.deep.equal([]);
  });

  it('of one person is nothing of another’s', () => {
    open('ada')
      .transcript('one')
      .saveTurns(record(turn('Where do we stand?')));
    const grace = open('grace');
    expect(titles(grace)).to.deep.equal([]);
    expect(grace.search('stand')).to.deep.equal([]);
    expect(grace.transcript('one').load().turns).to.deep.equal([]);
  });

  it('is gone without a trace when the person signs out, and another’s stays', () => {
    open('ada')
      .transcript('one')
      .saveTurns(record(turn('Where do we stand?')));
    open('ada')
      .transcript('one')
      .saveTyped({ ...nothingTyped, draft: 'And then?' });
    open('grace')
      .transcript('two')
      .saveTurns(record(turn('What is next?')));
    forgetPerson('ada', [storage]);
    expect([...storage.items.keys()].filter((key) => key.includes('ada'))).to.deep.equal([]);
    expect(titles(open('grace'))).to.deep.equal(['What is next?']);
  });

  it('lets the oldest conversation give up its oldest turns where the device is full, and says so', async () => {
    const list = open();
    const long = (name: string) => [1, 2, 3, 4].map((n) => turn(`${name} ${n}`, 'x'.repeat(1000)));
    for (const id of ['one', 'two']) {
      list.transcript(id).saveTurns(record(...long(id)));
      await clock.advance(1000);
    }
    const used = [...storage.items.values()].join('').length;
    const full = createFakeStorage(used + 500);
    for (const [key, value] of storage.items) full.setItem(key, value);
    storage = full;
    const crowded = open();
    expect(crowded.transcript('three').saveTurns(record(turn('What is next?', 'x'.repeat(1000))))).to.equal(true);
    expect(crowded.getState().isCrowded).to.equal(true);
    const oldest = crowded.transcript('one').load();
    expect(oldest.turns.map(({ question }) => question)).to.deep.equal(['one 3', 'one 4']);
    expect(oldest.isWhole).to.equal(false);
    expect(crowded.transcript('two').load().turns).to.have.length(4);
    expect(titles()).to.deep.equal(['What is next?', 'two 1', 'one 1']);
  });

  it('gives up whole conversations, the oldest first, and then the beginning of the one that is kept', () => {
    storage = createFakeStorage(3500);
    const list = open();
    list.transcript('one').saveTurns(record(turn('One', 'x'.repeat(1000))));
    const transcript = list.transcript('two');
    const long = [1, 2, 3, 4].map((n) => turn(`Two ${n}`, 'x'.repeat(1000)));
    expect(transcript.saveTurns(record(...long))).to.equal(false);
    expect(list.transcript('one').load().turns).to.deep.equal([]);
    expect(transcript.load().turns.map(({ question }) => question)).to.deep.equal(['Two 3', 'Two 4']);
  });

  for (const unreadable of ['{', '{}', '[{"id":1}]']) {
    it(`is empty where the device holds ${unreadable}`, () => {
      storage.setItem(`${deviceKeys.conversations('ada')}:index`, unreadable);
      expect(titles()).to.deep.equal([]);
    });
  }

  it('takes over the one transcript of the version before, with its draft and its id', () => {
    const key = deviceKeys.conversations('ada');
    const conversationId = 'c123456789012345678901234';
    const { id: _id, parentId: _parentId, askedAt: _askedAt, ...kept } = turn('Where do we stand?');
    storage.setItem(key, JSON.stringify({ conversationId, draft: 'And then?', turns: [kept] }));
    adoptTranscript(storage, key, open(), 'one');
    expect(titles()).to.deep.equal(['Where do we stand?']);
    expect(open().transcript('one').load()).to.deep.equal({
      conversationId,
      turns: [turn('Where do we stand?')],
      shownId: 'Where do we stand?',
      isWhole: true,
      typed: { ...nothingTyped, draft: 'And then?' },
    });
    expect(storage.getItem(key)).to.equal(null);
  });
});
