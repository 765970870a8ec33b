import 'fake-indexeddb/auto';
import { expect } from 'chai';
import { openDB } from 'idb';
import { describe, it } from 'mocha';
import { createConversationList } from '../../../client/conversations/conversation-list.ts';
import { openConversationDatabase } from '../../../client/device/conversation-database.ts';
import { unknownSiteStorage } from '../../../client/device/device-storage.ts';
import { noChannel } from '../../../client/device/tab-channel.ts';
import { createFakeClock } from '../../../client-package/testing/fake-clock.ts';
import { createFakeStorage } from '../../../client-package/testing/fake-storage.ts';

// The records of release 1.1.0, field by field.
const first = '0b0e2f6e-3c1f-4a57-9c55-2f2f7a1f9a01';
const conversations = JSON.parse(`[
  {"id":"${first}","title":"Where do we stand?","name":"Status","lastActiveAt":1795000000000,"conversationId":"c123456789012345678901234","shownId":"turn-2"},
  {"id":"demo","title":"Prices?","lastActiveAt":1794000000000,"shownId":"turn-3"},
  {"id":"gone","title":"Gone?","lastActiveAt":1793000000000,"shownId":null,"removedAt":1793000000001}]`);
const turns = JSON.parse(`[
  {"conversation":"${first}","id":"turn-1","order":0,"turn":{"id":"turn-1","parentId":null,"requestId":"turn-1",
    "question":"Where do we stand?","reply":"In week 3.","ending":{"type":"done"},"askedAt":1794999000000}},
  {"conversation":"${first}","id":"turn-2","order":1,"turn":{"id":"turn-2","parentId":"turn-1","requestId":"request-2",
    "question":"And then?","reply":"","ending":{"type":"failed","requestId":"request-2","sentence":"Busy.",
    "code":"UPSTREAM_OVERLOADED","status":503},"askedAt":1795000000000}},
  {"conversation":"demo","id":"turn-3","order":0,"turn":{"id":"turn-3","parentId":null,"requestId":"turn-3",
    "question":"Prices?","reply":"They","ending":null,"askedAt":null}}]`);

describe('The data of release 1.1.0', () => {
  it('is read with its drafts, and can still be read by 1.1.0', async () => {
    const name = 'advisory-chat:live:ada';
    const before = await openDB(name, 1, {
      upgrade(database) {
        database.createObjectStore('conversations', { keyPath: 'id' });
        database.createObjectStore('turns', { keyPath: ['conversation', 'id'] });
        database.createObjectStore('damaged', { autoIncrement: true });
      },
    });
    for (const row of conversations) await before.put('conversations', row);
    for (const row of turns) await before.put('turns', row);
    await before.put('damaged', { from: 'somewhere', text: '{' });
    before.close();
    const storage = createFakeStorage();
    const typed = { setAside: null, editedId: null, wasRefused: false };
    storage.setItem(`${name}:conversation:demo:typed`, JSON.stringify({ draft: 'What is next?', ...typed }));

    const clock = createFakeClock();
    const database = await openConversationDatabase(name);
    const list = createConversationList({
      database: Promise.resolve(database),
      storage,
      prefix: name,
      clock,
      openChannel: () => noChannel,
      room: unknownSiteStorage,
    });
    await list.loaded;
    expect(list.getState().entries).to.deep.equal(
      conversations.slice(0, 2).map(({ conversationId: _, shownId: __, ...entry }: Record<string, unknown>) => ({
        name: undefined,
        ...entry,
      })),
    );
    expect((await list.open(first))?.load()).to.deep.equal({
      conversationId: 'c123456789012345678901234',
      turns: turns.slice(0, 2).map(({ turn }: Record<string, unknown>) => turn),
      shownId: 'turn-2',
      draft: { text: '', setAside: null, editedId: null, wasRefused: false, queued: [] },
    });
    expect((await list.open('demo'))?.load()).to.deep.include({
      turns: [turns[2]?.turn],
      draft: { ...typed, text: 'What is next?', queued: [] },
    });

    database.close();
    const after = await openDB(name, 1);
    expect(await after.getAll('turns')).to.have.deep.members(turns);
    expect(await after.getAll('damaged')).to.deep.equal([{ from: 'somewhere', text: '{' }]);
    after.close();
  });
});
