import { expect } from 'chai';
import { forceCloseDatabase } from 'fake-indexeddb';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { emptyDraft } from '../../../client/chat/draft.ts';
import type { Transcript } from '../../../client/chat/transcript.ts';
import type { Turn } from '../../../client/chat/turn.ts';
import { noChanges, openConversationDatabase } from '../../../client/device/conversation-database.ts';
import type { ConversationEntry, ConversationRow, TurnRow } from '../../../client/device/conversation-records.ts';
import type { Library } from '../../../client/library/library.ts';
import { perTest } from '../../support/per-suite.ts';
import { inARow, record, turn } from '../chat/turns.ts';
import { createFakeDevice, openTranscript, prefix } from '../library/library-harness.ts';

const typedKey = `${prefix}:conversation:one:typed`;

const idsIn = (library: Library) => library.getState().entries.map(({ id }) => id);

describe('A change that has not been saved yet', () => {
  /** Makes all later writes fail with this error, or succeed again if it is undefined. */
  let refuse: (name: string | undefined) => void;

  const device = perTest(() => createFakeDevice());
  const library = perTest(() => device.openLoaded());
  beforeEach(() => {
    const { write } = device.database;
    let refusal: string | undefined;
    refuse = (name) => {
      refusal = name;
    };
    device.database.write = async (changes) => {
      if (refusal !== undefined) throw new DOMException('', refusal);
      await write(changes);
    };
  });

  const running = { ...turn('Where do we stand?', 'We are in'), ending: null };
  const repliesOf = async (id: string) => (await device.database.readTurns(id)).map(({ turn }) => turn.reply);

  /** Saves these turns in the conversation “one”. */
  async function save(...turns: Turn[]): Promise<Transcript> {
    const transcript = library.create('one');
    if (turns.length > 0) transcript.saveTurns(record(...turns));
    await device.clock.advance(0);
    return transcript;
  }

  function refuseDrafts(): () => void {
    const { setItem } = device.storage;
    device.storage.setItem = () => {
      throw new DOMException('', 'QuotaExceededError');
    };
    return () => {
      device.storage.setItem = setItem;
    };
  }

  it('stays in memory if its conversation is closed and opened again before the change is saved', async () => {
    refuse('UnknownError');
    await save(running);
    library.release('one');
    const transcript = await openTranscript(library, 'one');
    refuse(undefined);
    await device.clock.advance(10_000);
    transcript.saveTurns(record({ ...running, reply: 'We are in week 3.' }));
    await device.clock.advance(0);
    expect(await repliesOf('one')).to.deep.equal(['We are in week 3.']);
  });

  describe('and is a question that was stored as a draft', () => {
    async function saveQuestion() {
      const transcript = await save();
      transcript.saveDraft({ ...emptyDraft, text: 'Where do we stand?' });
      await device.clock.advance(0);
      refuse('QuotaExceededError');
      transcript.saveTurns(record({ ...running, reply: '' }));
      transcript.saveDraft(emptyDraft);
      await device.clock.advance(0);
      return transcript;
    }

    it('stays stored as a draft until it is saved', async () => {
      const transcript = await saveQuestion();
      expect(transcript.load().draft).to.deep.equal(emptyDraft);
      expect(device.storage.getItem(typedKey)).to.contain('Where do we stand?');

      refuse(undefined);
      await device.clock.advance(5_000);
      expect(await repliesOf('one')).to.deep.equal(['']);
      expect(device.storage.getItem(typedKey)).to.equal(null);
    });

    it('does not delete a draft that another tab stores before it is saved', async () => {
      const transcript = await saveQuestion();
      const otherTab = await openTranscript(await device.openLoaded(), 'one');
      otherTab.saveDraft({ ...emptyDraft, text: 'And then?' });
      transcript.saveDraft(emptyDraft);

      refuse(undefined);
      await device.clock.advance(5_000);
      expect(await repliesOf('one')).to.deep.equal(['']);
      expect(device.storage.getItem(typedKey)).to.contain('And then?');
      expect(transcript.load().draft.text).to.equal('And then?');
    });
  });

  for (const [error, persistence] of [
    ['QuotaExceededError', 'full'],
    ['UnknownError', 'failing'],
    ['VersionError', 'failing'],
  ] as const) {
    it(`is reported as ${persistence} on ${error}, and retried until it is written`, async () => {
      refuse(error);
      await save(running);
      expect(library.getState().persistence).to.equal(persistence);
      await device.clock.advance(5_000);
      expect(library.getState().persistence).to.equal(persistence);
      refuse(undefined);
      await device.clock.advance(5_000);
      expect(library.getState().persistence).to.equal('working');
      expect(await repliesOf('one')).to.deep.equal(['We are in']);
    });
  }

  for (const [what, stored, saved] of [
    ['a conversation without turns', [], []],
    ['a conversation with turns', ['Where do we stand?'], ['Where do we stand?']],
    ['a conversation in which a question is asked', ['Where do we stand?'], ['Where do we stand?', 'By when?']],
  ] as const) {
    it(`is reported if the change is the draft of ${what} and localStorage is full, and is stored once there is space`, async () => {
      const transcript = await save(...stored.map((question) => turn(question)));
      const allowDrafts = refuseDrafts();
      transcript.saveDraft({ ...emptyDraft, text: 'And then?' });
      if (saved.length > stored.length) transcript.saveTurns(record(...saved.map((question) => turn(question))));
      await device.clock.advance(0);
      expect(library.getState().persistence).to.equal('full');
      expect((await library.exportAll()).conversations[0]?.draft).to.equal('And then?');
      expect(await repliesOf('one')).to.have.length(saved.length);

      allowDrafts();
      await device.clock.advance(5_000);
      expect(library.getState().persistence).to.equal('working');
      expect(device.storage.getItem(typedKey)).to.contain('And then?');
    });
  }

  it('is dropped if the change is the draft of a conversation that is deleted permanently', async () => {
    const transcript = await save(turn('Where do we stand?'));
    const allowDrafts = refuseDrafts();
    transcript.saveDraft({ ...emptyDraft, text: 'And then?' });
    library.remove('one');
    library.purge('one');
    allowDrafts();
    await device.clock.advance(5_000);
    expect(library.getState().persistence).to.equal('working');
    expect([...device.storage.items]).to.deep.equal([]);
  });

  it('is removed from memory once it is saved if its conversation is already closed', async () => {
    library.create('one').saveTurns(record(running));
    library.release('one');
    expect([...library.openTurns().keys()]).to.deep.equal(['one']);
    await device.clock.advance(0);
    expect([...library.openTurns().keys()]).to.deep.equal([]);
    expect(await repliesOf('one')).to.deep.equal(['We are in']);
  });

  it('can be downloaded while the database can be neither read nor written', async () => {
    await save(turn('Prices?'));
    library.release('one');
    refuse('UnknownError');
    device.database.readTurns = async () => {
      throw new DOMException('', 'UnknownError');
    };
    library.create('two').saveTurns(record(running));
    await device.clock.advance(0);
    const { conversations } = await library.exportOpen();
    expect(conversations.map(({ id, turns }) => [id, turns.length])).to.deep.equal([['two', 1]]);
    expect(await library.exportAll().catch((error: Error) => error.name)).to.equal('UnknownError');
    expect((await openTranscript(library, 'one')).load().turns).to.deep.equal([]);
  });

  it('survives a reload of the list from the database', async () => {
    library.create('two').saveTurns(record(turn('Prices?')));
    await device.clock.advance(1_000);
    refuse('QuotaExceededError');
    library.create('one').saveTurns(record(running));
    library.rename('two', 'Market');
    await device.clock.advance(0);
    await library.reload();
    const names = (rows: readonly ConversationEntry[]) => rows.map(({ title, name }) => name || title);
    expect(names(library.getState().entries)).to.deep.equal(['Where do we stand?', 'Market']);
    refuse(undefined);
    await device.clock.advance(5_000);
    expect(names(await device.database.readConversations())).to.have.members(['Where do we stand?', 'Market']);
  });

  it('is written once the database is open, even if the page is hidden before the database is open', async () => {
    const library = device.open();
    library.create('one').saveTurns(record(running));
    library.persist();
    await library.loaded;
    await device.clock.advance(0);
    expect(await repliesOf('one')).to.deep.equal(['We are in']);
  });

  it('is neither reported nor saved after all conversations have been removed', async () => {
    refuse('QuotaExceededError');
    await save(running);
    expect(library.getState().persistence).to.equal('full');
    refuse(undefined);
    const { clear } = device.database;
    device.database.clear = async () => {
      await clear();
      // The page is hidden before the list learns that the database is empty.
      library.persist();
    };
    await library.removeAll();
    expect(library.getState().persistence).to.equal('working');
    await device.clock.advance(5_000);
    expect(await device.database.readConversations()).to.deep.equal([]);
    expect(await repliesOf('one')).to.deep.equal([]);
  });

  it('leaves no draft on the device after the user has signed out', async () => {
    const transcript = library.create('one');
    library.close();
    transcript.saveDraft({ ...emptyDraft, text: 'Where do we stand?' });
    expect([...device.storage.items]).to.deep.equal([]);
  });

  it('does not overwrite changes that another tab has made to the same conversation', async () => {
    const there = await device.openLoaded();
    await save(running);
    refuse('QuotaExceededError');
    const other = await openTranscript(there, 'one');
    const stopped = { ...running, reply: 'We are in week', ending: { type: 'stopped' } } as const;
    const [storedTurn] = other.load().turns;
    expect(storedTurn).to.deep.equal(running);
    other.saveTurns(record(stopped));
    await device.clock.advance(0);
    refuse(undefined);
    library.rename('one', 'Status');
    await device.clock.advance(0);
    expect(other.load().turns).to.deep.equal([stopped]);
    await device.clock.advance(5_000);
    expect(await repliesOf('one')).to.deep.equal(['We are in week']);
  });
});

describe('A sign-out', () => {
  const device = perTest(() => createFakeDevice());
  const library = perTest(() => device.openLoaded());

  it('ends an import and every read, because either would create the deleted database again', async () => {
    const transcript = library.create('one');
    transcript.saveTurns(record(turn('Where do we stand?')));
    await device.clock.advance(0);
    library.close();
    await device.clock.advance(0);
    const calls: string[] = [];
    for (const [name, method] of Object.entries(device.database))
      Object.assign(device.database, {
        [name]: (...args: never[]) => {
          calls.push(name);
          return (method as (...args: never[]) => unknown)(...args);
        },
      });
    const row = { id: 'two', title: 'Two', lastActiveAt: 1000, shownId: null };
    const results = await Promise.allSettled([
      library.add(row, []),
      library.readTurnRows('one'),
      library.readTurnsAfter(undefined, 1),
      transcript.refresh?.(),
      library.reload(),
    ]);
    expect(calls).to.deep.equal([]);
    expect(results[0].status).to.equal('rejected');
    expect(library.row('two')).to.equal(undefined);
  });

  it('is reported if it happens in another tab', async () => {
    let count = 0;
    library.onSignedOutElsewhere(() => {
      count += 1;
    });
    const otherTab = device.openChannel();
    for (const ofAnotherRelease of [null, 'forgotten', { type: 'later' }, { type: 'changed', ids: 'one' }])
      otherTab.post(ofAnotherRelease);
    expect(count).to.equal(0);
    otherTab.post({ type: 'forgotten' });
    expect(count).to.equal(1);
  });

  it('clears memory, even while conversations are being read', async () => {
    library.create('one').saveTurns(record(turn('Where do we stand?')));
    await device.clock.advance(0);
    const { readConversation, readConversations } = device.database;
    const reads: (() => void)[] = [];
    const held = () => new Promise<void>((resolve) => reads.push(resolve));
    device.database.readConversation = async (id) => {
      const row = await readConversation(id);
      await held();
      return row;
    };
    device.database.readConversations = async () => {
      const rows = await readConversations();
      await held();
      return rows;
    };
    device.openChannel().post({ type: 'changed', ids: ['one'] });
    const other = device.open();
    await device.clock.advance(0);
    expect(reads).to.have.length(2);
    library.close();
    other.close();
    for (const finish of reads) finish();
    await device.clock.advance(0);
    for (const tab of [library, other]) {
      expect(tab.getState().entries).to.deep.equal([]);
      expect(tab.rows()).to.deep.equal([]);
      expect([...tab.openTurns()]).to.deep.equal([]);
    }
  });
});

describe('A disconnected tab', () => {
  const device = perTest(() => createFakeDevice());

  it('neither announces its own changes nor reads the changes of other tabs', async () => {
    const [library, other] = [device.open(), await device.openLoaded()];
    await library.loaded;
    const changed: string[] = [];
    other.onChangeElsewhere((id) => changed.push(id));
    library.disconnect();
    library.create('one').saveTurns(record(turn('Where do we stand?')));
    await device.clock.advance(0);
    other.create('two').saveTurns(record(turn('Prices?')));
    await device.clock.advance(0);
    expect([idsIn(library), idsIn(other)]).to.deep.equal([['one'], ['two']]);
    expect(changed).to.deep.equal([]);
  });
});

describe('A conversation that another tab changes while this tab reads it', () => {
  const device = perTest(() => createFakeDevice());
  const library = perTest(() => device.openLoaded());
  const other = perTest(() => device.openLoaded());
  const where = turn('Where?');
  const when = { ...turn('When?'), parentId: where.id };

  beforeEach(async () => {
    library.create('one').saveTurns(record(where));
    await device.clock.advance(0);
  });

  /** Delays the results of the next call of this method until the returned function is called. */
  function delayNext(name: 'readConversation' | 'readConversations' | 'readTurns'): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { [name]: read } = device.database;
    Object.assign(device.database, {
      async [name](id: string) {
        Object.assign(device.database, { [name]: read });
        const result = await read(id);
        await promise;
        return result;
      },
    });
    return resolve;
  }

  it('keeps its turns if this tab was reading only its row for the list', async () => {
    const finish = delayNext('readConversation');
    library.rename('one', 'Status');
    await device.clock.advance(0);
    const transcript = await openTranscript(other, 'one');
    finish();
    await device.clock.advance(0);
    expect(transcript.load().turns).to.deep.equal([where]);
    expect(other.row('one')?.name).to.equal('Status');
  });

  it('is not opened if it was deleted after its turns were read', async () => {
    const finish = delayNext('readTurns');
    const opening = other.open('one');
    await device.clock.advance(0);
    library.remove('one');
    await device.clock.advance(0);
    finish();
    expect(await opening).to.equal(null);
  });

  it('is not read again after a sign-out', async () => {
    const finish = delayNext('readConversations');
    const third = device.open();
    await device.clock.advance(0);
    library.create('two').saveTurns(record(when));
    await device.clock.advance(0);
    third.close();
    let reads = 0;
    device.database.readConversations = async () => {
      reads += 1;
      return [];
    };
    finish();
    await third.loaded;
    expect(reads).to.equal(0);
  });

  for (const isConnected of [true, false]) {
    it(`is listed if it was stored after the list was read${isConnected ? '' : ', but before this tab connects'}`, async () => {
      const finish = delayNext('readConversations');
      const third = device.open();
      if (!isConnected) third.disconnect();
      await device.clock.advance(0);
      library.create('two').saveTurns(record(when));
      await device.clock.advance(0);
      if (!isConnected) third.connect();
      finish();
      await third.loaded;
      expect(idsIn(third)).to.have.members(['one', 'two']);
    });
  }

  it('has the turn that was stored after its turns were read', async () => {
    const finish = delayNext('readTurns');
    const opening = openTranscript(other, 'one');
    await device.clock.advance(0);
    library.create('one').saveTurns(record(where, when));
    await device.clock.advance(0);
    finish();
    expect((await opening).load().turns).to.deep.equal([where, when]);
  });
});

describe('A page that returns from the back/forward cache', () => {
  const device = perTest(() => createFakeDevice());

  for (const method of ['reload', 'connect'] as const) {
    it(`shows the conversations that other tabs have changed, added or deleted in the meantime after ${method}()`, async () => {
      const library = await device.openLoaded();
      for (const id of ['one', 'two']) library.create(id).saveTurns(record(turn('Where do we stand?')));
      await device.clock.advance(0);
      // The tabs of another device receive no messages of `list`.
      const cached = await (await createFakeDevice(device.database)).openLoaded();
      const transcript = await openTranscript(cached, 'one');
      transcript.load();
      const changed: string[] = [];
      cached.onChangeElsewhere((id) => changed.push(id));

      library.create('one').saveTurns(record(turn('Where do we stand?'), turn('And then?')));
      library.create('three').saveTurns(record(turn('Prices?')));
      library.remove('two');
      library.purge('two');
      await device.clock.advance(0);
      expect(idsIn(cached)).to.have.members(['one', 'two']);
      cached[method]();
      await device.clock.advance(0);
      expect(idsIn(cached)).to.have.members(['one', 'three']);
      expect(transcript.load().turns.map(({ id }) => id)).to.deep.equal(['Where do we stand?', 'And then?']);
      expect(changed).to.deep.equal(['one']);
    });
  }
});

const turns = inARow(turn('Where?'), turn('When?'), turn('Why?'));
const rows = turns.map((turn, order): TurnRow => ({ conversation: 'one', id: turn.id, order, turn }));
const row: ConversationRow = { id: 'one', title: 'Where?', name: 'Status', lastActiveAt: 1000, shownId: 'Why?' };

describe('An invalid record', () => {
  const device = perTest(() => createFakeDevice());

  async function openWith(conversation: object, kept: readonly object[] = rows) {
    await device.database.write(
      Object.assign({}, noChanges, { conversations: [conversation, { ...row, id: 'whole' }], turns: kept }),
    );
    return device.openLoaded();
  }

  for (const damage of [{ lastActiveAt: 1e300 }, { title: 5 }]) {
    it(`is skipped but not deleted, along with its turns, if it is a conversation with ${JSON.stringify(damage)}`, async () => {
      const library = await openWith({ ...row, ...damage });
      expect(idsIn(library)).to.deep.equal(['whole']);
      library.rename('whole', 'Another name');
      await device.clock.advance(0);
      expect(await device.database.readTurns('one')).to.deep.equal(rows);
    });
  }

  it('is skipped if it is a turn, without affecting other turns', async () => {
    const damaged = { ...rows[1], turn: { question: 5 } };
    const library = await openWith(row, [...rows.slice(0, 1), damaged, ...rows.slice(2)]);
    const shown = (await openTranscript(library, 'one')).load().turns;
    expect(shown.map(({ question }) => question)).to.deep.equal(['Where?', 'Why?']);
  });

  it('is read without a time if its time is not a valid date', async () => {
    const far = rows.map((row) => ({ ...row, turn: { ...row.turn, askedAt: 1e300 } }));
    const library = await openWith(row, far);
    expect((await openTranscript(library, 'one')).load().turns).to.deep.equal(turns);
  });

  it('does not prevent the page from starting, even if the conversations cannot be read at all', async () => {
    device.database.readConversations = async () => {
      throw new DOMException('', 'UnknownError');
    };
    const library = await device.openLoaded();
    expect(library.getState()).to.deep.include({ entries: [], isLoaded: true });
  });
});

describe('A database that the browser deletes while the page is open', () => {
  const { indexedDB } = globalThis;

  afterEach(() => {
    globalThis.indexedDB = indexedDB;
  });

  /** Opens a database, and returns it with a function that deletes it as “Clear site data” does. */
  async function openDeletable() {
    const factory = new IDBFactory();
    const connections: IDBDatabase[] = [];
    const { open } = factory;
    factory.open = (...parameters) => {
      const request = open.apply(factory, parameters);
      request.addEventListener('success', () => connections.push(request.result));
      return request;
    };
    globalThis.indexedDB = factory;
    const database = await openConversationDatabase('deletable');
    const deleteByBrowser = () => {
      globalThis.indexedDB = new IDBFactory();
      // The package declares another type for the parameter.
      for (const connection of connections) Reflect.apply(forceCloseDatabase, undefined, [connection]);
    };
    return { database, deleteByBrowser };
  }

  it('is filled again with the open conversations, while all other conversations disappear from the list', async () => {
    const { database, deleteByBrowser } = await openDeletable();
    const device = await createFakeDevice(database);
    const library = await device.openLoaded();
    library.create('one').saveTurns(record(...turns));
    library.create('two').saveTurns(record(turn('Prices?')));
    await device.clock.advance(0);
    library.release('two');

    deleteByBrowser();
    await device.clock.advance(0);
    expect(idsIn(library)).to.deep.equal(['one']);
    const reloaded = await device.openLoaded();
    expect(idsIn(reloaded)).to.deep.equal(['one']);
    expect((await openTranscript(reloaded, 'one')).load().turns).to.deep.equal(turns);
    database.close();
  });
});

describe('Without a database', () => {
  it('conversations are kept until the page is closed and are reported as not persisted', async () => {
    const device = await createFakeDevice();
    const library = await device.openLoaded({ database: null });
    expect(library.getState()).to.include({ isLoaded: true, persistence: 'failing' });
    const said = record(turn('Where do we stand?'));
    library.create('one').saveTurns(said);
    library.release('one');
    library.create('two').saveTurns(record(turn('Prices?')));
    library.rename('two', 'Market');
    await device.clock.advance(60_000);
    expect((await openTranscript(library, 'one')).load().turns).to.deep.equal(said.turns);
    expect((await library.search('stand')).map(({ entry }) => entry.id)).to.deep.equal(['one']);

    const file = JSON.stringify(await library.exportAll());
    await library.removeAll();
    expect(library.getState().entries).to.deep.equal([]);
    expect(await library.importFile(file)).to.deep.equal({ added: 2, unchanged: 0, rejected: [] });
    const imported = said.turns.map((turn) => ({ ...turn, isImported: true }));
    expect((await openTranscript(library, 'one')).load().turns).to.deep.equal(imported);

    expect(await device.database.readConversations()).to.deep.equal([]);
    const next = await device.openLoaded({ database: null });
    expect(next.getState().entries).to.deep.equal([]);
    await next.importFile(file);
    expect((await openTranscript(next, 'one')).load().turns).to.deep.equal(imported);
  });
});
