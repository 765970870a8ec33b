import 'fake-indexeddb/auto';
import { expect } from 'chai';
import { deleteDB, openDB } from 'idb';
import { afterEach, describe, it } from 'mocha';
import { noChanges, openConversationDatabase } from '../../../client/device/conversation-database.ts';
import type { TurnRow } from '../../../client/device/conversation-records.ts';
import { perTest } from '../../support/per-suite.ts';
import { turn } from '../chat/turns.ts';

const name = 'advisory-chat:live:ada';
const conversation = (id: string) => ({ id, title: id, lastActiveAt: 1000, shownId: null });
const row = (of: string, id: string): TurnRow => ({ conversation: of, id, order: 0, turn: turn(id) });

describe('openConversationDatabase', () => {
  const database = perTest(() => openConversationDatabase(name));
  afterEach(() => deleteDB(name));

  const ids = async () => (await database.readConversations()).map(({ id }) => id);

  it('reads all turns in batches and skips invalid ones', async () => {
    const damages = [{ turn: { question: 5 } }, { turn: turn('another id') }, { order: '1' }, { order: Number.NaN }];
    const unreadable = damages.map((damage, index) => Object.assign(row('one', `b${index}`), damage));
    await database.write({ ...noChanges, turns: [row('one', 'a'), ...unreadable, row('two', 'a')] });
    const first = await database.readTurnsAfter(undefined, 5);
    expect(first).to.deep.equal({ rows: [row('one', 'a')], cursor: ['one', 'b3'] });
    expect(await database.readTurnsAfter(first.cursor, 2)).to.deep.equal({
      rows: [row('two', 'a')],
      cursor: undefined,
    });
  });

  it('reads the stored conversations even after its connection was closed', async () => {
    await database.write({ ...noChanges, conversations: [conversation('one')] });
    database.close();
    expect(await ids()).to.deep.equal(['one']);
  });

  it('closes the connection when another tab deletes the database, without reporting a loss of data', async () => {
    await database.write({ ...noChanges, conversations: [conversation('one')] });
    let emptiedCount = 0;
    database.onEmptied(() => {
      emptiedCount += 1;
    });
    await deleteDB(name);
    expect(await ids()).to.deep.equal([]);
    expect(emptiedCount).to.equal(0);
  });

  it('reads and writes on a new connection if the previous one was lost without notice', async () => {
    database.close();
    const { open } = indexedDB;
    const connections: IDBDatabase[] = [];
    indexedDB.open = (...parameters) => {
      const request = open.apply(indexedDB, parameters);
      request.addEventListener('success', () => connections.push(request.result));
      return request;
    };
    await database.write({ ...noChanges, conversations: [conversation('one')] });
    connections[0]?.close();
    await database.write({ ...noChanges, conversations: [conversation('two')] });
    connections[1]?.close();
    expect(await ids()).to.deep.equal(['one', 'two']);
    indexedDB.open = open;
    expect(connections).to.have.length(3);
  });

  it('writes nothing if the transaction fails', async () => {
    const unstorable = Object.assign(row('one', 'b'), { turn: () => {} });
    const failure = await database
      .write({ ...noChanges, conversations: [conversation('one')], turns: [unstorable] })
      .catch((error: Error) => error.name);
    expect(failure).to.equal('DataCloneError');
    expect(await ids()).to.deep.equal([]);
  });

  it('rejects if a later release has upgraded the database', async () => {
    database.close();
    await deleteDB(name);
    (await openDB(name, 99)).close();
    const failure = await openConversationDatabase(name).catch((error: Error) => error.name);
    expect(failure).to.equal('VersionError');
  });
});
