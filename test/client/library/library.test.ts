import { expect } from 'chai';
import { describe, it } from 'mocha';
import { emptyDraft } from '../../../client/chat/draft.ts';
import { storeDraft } from '../../../client/chat/transcript.ts';
import { noChanges } from '../../../client/device/conversation-database.ts';
import { createPinnedConversations, type Library } from '../../../client/library/library.ts';
import { createFakeStorage } from '../../../client-package/testing/fake-storage.ts';
import { perTest } from '../../support/per-suite.ts';
import { record, turn } from '../chat/turns.ts';
import { createFakeDevice, openTranscript, prefix } from './library-harness.ts';

describe('The list of conversations', () => {
  const device = perTest(() => createFakeDevice());

  const library = perTest(() => device.openLoaded());
  const transcript = perTest(() => library.create('one'));

  const asked = record(turn('Where do we stand?'));
  const typedKey = (id: string) => `${prefix}:conversation:${id}:typed`;
  const titles = ({ getState }: Pick<Library, 'getState'>) =>
    getState().entries.map(({ name, title }) => name || title);
  const afterReload = async () => {
    await device.clock.advance(0);
    return device.openLoaded();
  };

  it('titles each conversation with its first question and puts the latest one first', async () => {
    transcript.saveTurns(record(turn('  Where do\nwe stand? '), turn('And then?')));
    await device.clock.advance(1000);
    library.create('two').saveTurns(record(turn('x'.repeat(100))));
    expect(titles(library)).to.deep.equal([`${'x'.repeat(47)}…`, 'Where do we stand?']);
    await device.clock.advance(1000);
    const { turns } = transcript.load();
    transcript.saveTurns(record(...turns, turn('Go on', '')));
    expect(titles(await afterReload())).to.deep.equal(['Where do we stand?', `${'x'.repeat(47)}…`]);
  });

  it('writes one small record per update of a growing reply without changing the list', async () => {
    const said = record(turn('Where do we stand?'), turn('And then?'));
    transcript.saveTurns(said);
    await device.clock.advance(1000);
    const written: unknown[] = [];
    const { write } = device.database;
    device.database.write = async (changes) => {
      written.push(changes);
      return write(changes);
    };
    const { entries } = library.getState();
    const running = { ...turn('Go on', 'In', { parentId: 'And then?' }), ending: null };
    transcript.saveTurns({ ...said, turns: [...said.turns, running], shownId: running.id });
    await device.clock.advance(1000);
    expect(library.getState().entries).to.not.equal(entries);
    const before = library.getState().entries;
    const extended = { ...running, reply: 'In week 3' };
    transcript.saveTurns({ ...said, turns: [...said.turns, extended], shownId: running.id });
    await device.clock.advance(0);
    const turns = [{ conversation: 'one', id: 'Go on', order: 2, turn: extended }];
    expect(written.at(-1)).to.deep.equal({ ...noChanges, turns });
    expect(library.getState().entries).to.equal(before);
  });

  it('persists which version of a question is shown', async () => {
    const versions = [turn('Where?', 'Week 3.'), turn('Where exactly?', 'Week 4.')];
    transcript.saveTurns({ conversationId: undefined, turns: versions, shownId: 'Where exactly?' });
    await device.clock.advance(0);
    // `shownId` is the only change: both versions have the same title.
    transcript.saveTurns({ conversationId: undefined, turns: versions, shownId: 'Where?' });
    const reopened = await openTranscript(await afterReload(), 'one');
    expect(reopened.load().shownId).to.equal('Where?');
  });

  for (const [what, draft] of [
    ['a draft', { text: 'Where do we stand?' }],
    ['queued questions', { queued: ['Where do we stand?', 'And then?'] }],
  ] as const) {
    it(`lists a conversation that has only ${what} as a draft until it is deleted, even after a reload`, async () => {
      transcript.saveDraft({ ...emptyDraft, ...draft });
      for (const { getState } of [library, await afterReload()]) {
        expect(titles({ getState })).to.deep.equal(['Where do we stand?']);
        expect(getState().entries[0]?.isDraft).to.equal(true);
      }
      transcript.saveDraft(emptyDraft);
      expect(titles(library)).to.deep.equal([]);
      expect(titles(await afterReload())).to.deep.equal([]);
      expect([...device.storage.items]).to.deep.equal([]);
    });
  }

  it('lists a draft whose conversation has not been saved, unless the draft is blank or has an invalid id', async () => {
    storeDraft(device.storage, typedKey('one'), { ...emptyDraft, text: 'Where' });
    storeDraft(device.storage, typedKey('two'), { ...emptyDraft, text: ' ' });
    storeDraft(device.storage, typedKey('../three'), { ...emptyDraft, text: 'Where else' });
    const library = await afterReload();
    expect(titles(library)).to.deep.equal(['Where']);
    expect(library.getState().entries[0]?.lastActiveAt).to.equal(device.clock.now());
  });

  it('keeps the first question as the title of a conversation that also has a draft', async () => {
    transcript.saveTurns(asked);
    transcript.saveDraft({ ...emptyDraft, text: 'And then?' });
    expect(library.getState().entries.map(({ isDraft }) => isDraft)).to.deep.equal([false]);
    const reloaded = await afterReload();
    expect(titles(reloaded)).to.deep.equal(['Where do we stand?']);
    expect((await openTranscript(reloaded, 'one')).load()).to.include({ shownId: 'Where do we stand?' });
  });

  it('deletes the turns of a conversation that is started over and keeps its draft', async () => {
    transcript.saveTurns({ ...asked, conversationId: 'c1' });
    transcript.saveTurns({ conversationId: undefined, turns: [], shownId: null });
    transcript.saveDraft({ ...emptyDraft, text: 'What is next?' });
    const reloaded = await afterReload();
    expect(titles(reloaded)).to.deep.equal(['What is next?']);
    expect((await openTranscript(reloaded, 'one')).load()).to.deep.include({ conversationId: undefined, turns: [] });
  });

  it('updates another tab once a change is written and reports the changed conversation', async () => {
    const there = await device.openLoaded();
    transcript.saveTurns(asked);
    await device.clock.advance(0);
    expect(titles(there)).to.deep.equal(['Where do we stand?']);
    const other = await openTranscript(there, 'one');
    expect(other.load().turns).to.deep.equal(asked.turns);
    const [first] = other.load().turns;
    const changed: string[] = [];
    there.onChangeElsewhere((id) => changed.push(id));
    const longer = record(...asked.turns, turn('And then?', 'Go on.'));
    transcript.saveTurns(longer);
    await device.clock.advance(0);
    expect(changed).to.deep.equal(['one']);
    expect(other.load().turns).to.deep.equal(longer.turns);
    expect(other.load().turns[0]).to.equal(first);
  });

  it('keeps the turns of both tabs if both add one to the same conversation', async () => {
    transcript.saveTurns(asked);
    const other = await openTranscript(device.open(), 'one');
    other.saveTurns(record(...other.load().turns, turn('There', 'Yes.')));
    transcript.saveTurns(record(...asked.turns, turn('Here', 'Yes.')));
    const turnIds = (await openTranscript(await afterReload(), 'one')).load().turns.map(({ id }) => id);
    expect(turnIds).to.have.members(['Where do we stand?', 'There', 'Here']);
  });

  it('shows the name that the user gave a conversation, or the first question if the name is blank', async () => {
    transcript.saveTurns(asked);
    library.rename('one', ' Status ');
    transcript.saveTurns(record(turn('Where do we stand?'), turn('And then?')));
    expect(titles(await afterReload())).to.deep.equal(['Status']);
    library.rename('one', ' ');
    expect(titles(await afterReload())).to.deep.equal(['Where do we stand?']);
  });

  it('dates a conversation by its last activity, and an export by the current time', async () => {
    const running = { ...turn('Where?', ''), ending: null };
    for (const [isActivity, act] of [
      [true, () => transcript.saveDraft({ ...emptyDraft, text: 'Where' })],
      [true, () => transcript.saveTurns(record(running))],
      [false, () => transcript.saveTurns(record({ ...running, reply: 'Week' }))],
      [true, () => transcript.saveTurns(record(turn('Where?')))],
      [false, () => library.rename('one', 'Status')],
    ] as const) {
      const before = library.getState().entries[0]?.lastActiveAt;
      await device.clock.advance(1000);
      act();
      expect(library.getState().entries[0]?.lastActiveAt).to.equal(isActivity ? device.clock.now() : before);
    }
    expect((await library.exportAll()).exportedAt).to.equal(device.clock.now());
  });

  it('restores a removed conversation with its turns', async () => {
    transcript.saveTurns(asked);
    library.remove('one');
    expect(titles(library)).to.deep.equal([]);
    expect(await library.open('one')).to.equal(null);
    await device.clock.advance(3_600_000);
    library.restore('one');
    expect(titles(library)).to.deep.equal(['Where do we stand?']);
    expect((await openTranscript(await afterReload(), 'one')).load().turns).to.have.length(1);
  });

  for (const [when, end] of [
    ['when it is purged', () => library.purge('one')],
    ['on the next visit', afterReload],
  ] as const) {
    it(`deletes a removed conversation permanently ${when}`, async () => {
      transcript.saveTurns(asked);
      transcript.saveDraft({ ...emptyDraft, text: 'And then?' });
      library.remove('one');
      await end();
      await device.clock.advance(0);
      library.restore('one');
      for (const tab of [library, await afterReload()]) expect(titles(tab)).to.deep.equal([]);
      expect(await device.database.readConversations()).to.deep.equal([]);
      expect(await device.database.readTurns('one')).to.deep.equal([]);
      expect([...device.storage.items]).to.deep.equal([]);
    });
  }

  it('does not purge a conversation that another tab has restored', async () => {
    const other = await device.openLoaded();
    transcript.saveTurns(asked);
    library.remove('one');
    await device.clock.advance(0);
    other.restore('one');
    await device.clock.advance(0);
    library.purge('one');
    expect(titles(library)).to.deep.equal(['Where do we stand?']);
  });

  it('asks the browser for persistent storage only once, after the first completed reply', async () => {
    transcript.saveDraft({ ...emptyDraft, text: 'Where' });
    transcript.saveTurns(record({ ...turn('Where?', ''), ending: null }));
    await device.clock.advance(0);
    expect(device.persistCount()).to.equal(0);
    transcript.saveTurns(record(turn('Where?')));
    transcript.saveTurns(record(turn('Where?'), turn('And then?')));
    await device.clock.advance(0);
    expect(device.persistCount()).to.equal(1);
    expect(await library.readUsage()).to.deep.equal({ usedBytes: 1000, quotaBytes: 5000, isPersistent: false });
  });

  it('deletes conversations and drafts in every tab on removeAll()', async () => {
    const there = device.open();
    transcript.saveTurns(record(turn('Where?')));
    transcript.saveDraft({ ...emptyDraft, text: 'And then?' });
    const other = await openTranscript(there, 'one');
    await library.removeAll();
    await device.clock.advance(0);
    for (const tab of [library, there, await afterReload()]) expect(titles(tab)).to.deep.equal([]);
    expect(other.load().turns).to.deep.equal([]);
    expect(await device.database.readTurns('one')).to.deep.equal([]);
    expect([...device.storage.items]).to.deep.equal([]);
  });
});

describe('createPinnedConversations', () => {
  const key = 'advisory-chat:pinned:somebody';

  it('includes the conversations that another tab has pinned', () => {
    const storage = createFakeStorage();
    const here = createPinnedConversations(storage, key);
    createPinnedConversations(storage, key).toggle('one');
    here.toggle('two');
    expect(here.getState().ids).to.deep.equal(['one', 'two']);
    createPinnedConversations(storage, key).toggle('one');
    here.reload();
    expect(here.getState().ids).to.deep.equal(['two']);
    createPinnedConversations(storage, key).toggle('three');
    here.add(['four']);
    expect(here.getState().ids).to.deep.equal(['two', 'three', 'four']);
  });

  it('keeps pins in memory if the storage is full', () => {
    const pinned = createPinnedConversations(createFakeStorage(0), key);
    pinned.toggle('one');
    expect(pinned.getState().ids).to.deep.equal(['one']);
  });
});
