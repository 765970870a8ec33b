import 'fake-indexeddb/auto';
import { expect } from 'chai';
import { deleteDB, openDB } from 'idb';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { type ConversationStore, noChanges, type TurnRow } from '../../../client/device/conversation-store.ts';
import { deleteIndexedStore, openIndexedStore } from '../../../client/device/indexed-store.ts';
import { createMemoryStore } from '../../../client/device/memory-store.ts';
import { turn } from '../chat/turns.ts';

const name = 'advisory-chat:live:ada';
const conversation = (id: string, lastActiveAt = 1000) => ({ id, title: id, lastActiveAt, shownId: null });
const row = (of: string, question: string, reply = 'Week 3.', isRunning = false): TurnRow => ({
  conversation: of,
  id: question,
  order: 0,
  turn: turn(question, reply, isRunning ? { ending: null } : {}),
});

const openStores = { 'in memory': async () => createMemoryStore(), 'in a database': () => openIndexedStore(name) };

for (const [where, open] of Object.entries(openStores)) {
  describe(`A store of conversations ${where}`, () => {
    let store: ConversationStore;

    beforeEach(async () => {
      store = await open();
    });

    afterEach(async () => {
      store.close();
      await deleteIndexedStore(name);
    });

    const ids = async () => (await store.readConversations()).map(({ key }) => key);
    const turnsOf = async (id: string) => (await store.readTurns(id)).map(({ value }) => value);

    it('gives back what was written, the turns of each conversation by themselves', async () => {
      const turns = [row('one', 'a'), row('one', 'b'), row('two', 'a')];
      await store.write({ ...noChanges, conversations: [conversation('one'), conversation('two')], turns });
      expect(await ids()).to.have.members(['one', 'two']);
      expect(await turnsOf('one')).to.have.deep.members(turns.slice(0, 2));
      expect(await turnsOf('two')).to.deep.equal(turns.slice(2));
      expect(await turnsOf('three')).to.deep.equal([]);
    });

    it('removes a turn, and a conversation with all its turns, before it writes the rest', async () => {
      await store.write({
        ...noChanges,
        conversations: [conversation('one'), conversation('two')],
        turns: [row('one', 'a'), row('one', 'b'), row('two', 'a')],
      });
      await store.write({
        removedConversations: ['two'],
        removedTurns: [['one', 'a']],
        conversations: [conversation('two', 2000)],
        turns: [row('two', 'c')],
      });
      expect(await turnsOf('one')).to.deep.equal([row('one', 'b')]);
      expect(await turnsOf('two')).to.deep.equal([row('two', 'c')]);
    });

    it('gives all turns a few at a time', async () => {
      const turns = [row('one', 'a'), row('one', 'b'), row('two', 'a')];
      await store.write({ ...noChanges, turns });
      const first = await store.readTurnsAfter(undefined, 2);
      expect(first.map(({ key }) => key)).to.deep.equal([
        ['one', 'a'],
        ['one', 'b'],
      ]);
      expect(await store.readTurnsAfter(first.at(-1)?.key, 2)).to.deep.equal([{ key: ['two', 'a'], value: turns[2] }]);
    });

    it('folds in what is missing or less complete, and leaves the rest as it is', async () => {
      const [whole, running] = [row('one', 'whole', 'All of it.'), row('one', 'running', 'As far', true)];
      await store.write({ ...noChanges, conversations: [conversation('one', 2000)], turns: [whole, running] });
      const further = row('one', 'running', 'As far as this', true);
      await store.fold({
        conversations: [conversation('one', 1000), conversation('two', 1000)],
        turns: [row('one', 'whole', 'All', true), further, row('one', 'new')],
      });
      expect(await turnsOf('one')).to.have.deep.members([whole, further, row('one', 'new')]);
      const kept = (await store.readConversations()).map(({ value }) => value);
      expect(kept).to.have.deep.members([conversation('one', 2000), conversation('two', 1000)]);
    });

    it('keeps what is damaged, until everything is removed', async () => {
      const damaged = { from: 'somewhere', text: '{' };
      await store.fold(noChanges, [damaged]);
      expect(await store.readDamaged()).to.deep.equal([damaged]);
      await store.write({ ...noChanges, conversations: [conversation('one')], turns: [row('one', 'a')] });
      await store.clear();
      expect([...(await store.readDamaged()), ...(await ids()), ...(await turnsOf('one'))]).to.deep.equal([]);
    });
  });
}

describe('A database of conversations', () => {
  afterEach(() => deleteDB(name));

  it('is there again when it is opened anew, and after another tab has closed it', async () => {
    const store = await openIndexedStore(name);
    await store.write({ ...noChanges, conversations: [conversation('one')] });
    store.close();
    expect(await store.readConversations()).to.have.length(1);
    store.close();
  });

  it('lets go where another tab removes it', async () => {
    const store = await openIndexedStore(name);
    await store.write({ ...noChanges, conversations: [conversation('one')] });
    await deleteIndexedStore(name);
    expect(await store.readConversations()).to.deep.equal([]);
    store.close();
  });

  it('writes nothing of a change that fails', async () => {
    const store = await openIndexedStore(name);
    const unstorable = Object.assign(row('one', 'b'), { turn: () => {} });
    const failure = await store
      .write({ ...noChanges, conversations: [conversation('one')], turns: [unstorable] })
      .catch((error: Error) => error.name);
    expect(failure).to.equal('DataCloneError');
    expect(await store.readConversations()).to.deep.equal([]);
    store.close();
  });

  it('is refused where a later release has changed its shape', async () => {
    (await openDB(name, 99)).close();
    const failure = await openIndexedStore(name).catch((error: Error) => error.name);
    expect(failure).to.equal('VersionError');
  });
});
