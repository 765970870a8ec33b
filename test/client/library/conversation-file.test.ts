import { readFile } from 'node:fs/promises';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { emptyDraft } from '../../../client/chat/draft.ts';
import type { TranscriptRecord } from '../../../client/chat/transcript.ts';
import type { Turn } from '../../../client/chat/turn.ts';
import type { RejectionReason } from '../../../client/library/conversation-file.ts';
import { perTest } from '../../support/per-suite.ts';
import { inARow, record, turn } from '../chat/turns.ts';
import { createFakeDevice, openTranscript } from './library-harness.ts';

const schema = JSON.parse(
  await readFile(new URL('../../../docs/exported-conversations.schema.json', import.meta.url), 'utf8'),
);
const validate = new Ajv2020({ allErrors: true, strict: true }).compile(schema);
const valid = { id: 'one', title: 'Where?', lastActiveAt: 1000, shownId: 'Where?', turns: [turn('Where?')] };
const fileOf = (...conversations: unknown[]) =>
  JSON.stringify({ format: 'advisory-chat-conversations', version: 1, exportedAt: 0, conversations });

describe('Conversation files', () => {
  const device = perTest(() => createFakeDevice());
  const library = perTest(() => device.openLoaded());

  const entryIds = () => library.getState().entries.map(({ id }) => id);
  const loadOne = async () => (await openTranscript(library, 'one')).load();

  /** Imports a conversation into a list that has its question “Where?”. */
  async function importBeside(changes: object, stored: Partial<TranscriptRecord> = {}) {
    library.create('one').saveTurns({ ...record(turn('Where?')), ...stored });
    const imported = await library.importFile(fileOf({ ...valid, ...changes }));
    return { imported, ...(await loadOne()) };
  }

  async function fill(): Promise<void> {
    const failed = { type: 'failed', requestId: 'c', sentence: 'Busy.', code: undefined, status: 503 } as const;
    const turns = inARow(
      turn('Where?'),
      turn('When?', 'In', { askedAt: 5, ending: null, isContinuation: true }),
      turn('Why?', '', { ending: failed }),
    );
    const transcript = library.create('one');
    transcript.saveTurns({ conversationId: 'c1', turns, shownId: 'When?', earlierShownIds: ['Why?'] });
    transcript.saveDraft({ ...emptyDraft, text: 'And then?' });
    library.rename('one', 'Status');
    library.pinned.toggle('one');
    await device.clock.advance(1000);
    library.create('two').saveTurns(record(turn('Prices')));
    await device.clock.advance(0);
  }

  it('have a schema that reports only the missing `type` for an ending without one', () => {
    const ended = { ...valid, turns: [{ ...turn('Where?'), ending: {} }] };
    expect(validate(JSON.parse(fileOf(ended)))).to.equal(false);
    const required = validate.errors?.filter(({ keyword }) => keyword === 'required');
    expect(required?.map(({ params }) => params)).to.deep.equal([{ missingProperty: 'type' }]);
  });

  describe('exportAll', () => {
    it('matches the schema of the export format', async () => {
      await fill();
      const file = JSON.parse(JSON.stringify(await library.exportAll()));
      expect(validate(file), JSON.stringify(validate.errors)).to.equal(true);
      expect(file.conversations.map(({ id }: { id: string }) => id)).to.deep.equal(['two', 'one']);
      const one = JSON.parse(JSON.stringify(await library.exportOne('one')));
      expect(one.conversations).to.deep.equal([file.conversations[1]]);
      const named = { name: 'Status', conversationId: 'c1', draft: 'And then?', pinned: true };
      expect(one.conversations[0]).to.include(named);
    });

    it('includes the unsent edit of a question and the draft that was set aside for it', async () => {
      const transcript = library.create('one');
      transcript.saveTurns(record(turn('Where?')));
      const edited = { ...emptyDraft, setAside: 'And then?', editedId: 'Where?' };
      const exportedDraft = async (text: string) => {
        transcript.saveDraft({ ...edited, text });
        return (await library.exportAll()).conversations.map((conversation) => conversation.draft);
      };
      expect(await exportedDraft('Where?')).to.deep.equal(['And then?']);
      expect(await exportedDraft('Where to?')).to.deep.equal(['And then?\n\nWhere to?']);
    });
  });

  describe('importFile', () => {
    it('restores an export on another device, and marks its turns', async () => {
      await fill();
      const text = JSON.stringify(await library.exportAll());
      const other = (await createFakeDevice()).open();
      expect(await other.importFile(text)).to.deep.equal({ added: 2, unchanged: 0, rejected: [] });
      expect(other.getState().entries).to.deep.equal(library.getState().entries);
      expect(other.pinned.getState().ids).to.deep.equal(['one']);
      for (const id of ['one', 'two']) {
        const [here, there] = [await openTranscript(library, id), await openTranscript(other, id)];
        const record = here.load();
        const turns = record.turns.map((turn) => ({ ...turn, isImported: true }));
        expect(there.load()).to.deep.equal({ ...record, turns });
      }
      expect(await other.importFile(text)).to.deep.equal({ added: 0, unchanged: 2, rejected: [] });
    });

    it('adds missing turns to a stored conversation without changing the others', async () => {
      library.create('one').saveTurns(record(turn('Where?', 'As it is here.')));
      library.rename('one', 'Named here');
      const transcript = await openTranscript(library, 'one');
      const changed: string[] = [];
      library.onChangeElsewhere((id) => changed.push(id));
      const turns = inARow(turn('Where?', 'As it is there.'), turn('When?'));
      const imported = await library.importFile(
        fileOf({ ...valid, name: 'Named there', lastActiveAt: 9e12, turns, shownId: 'When?' }),
      );
      expect(imported).to.deep.equal({ added: 1, unchanged: 0, rejected: [] });
      expect(transcript.load().turns.map(({ reply }) => reply)).to.deep.equal(['As it is here.', 'Week 3.']);
      expect(transcript.load().shownId).to.equal('When?');
      expect(changed).to.deep.equal(['one']);
      expect(library.getState().entries.map(({ name }) => name)).to.deep.equal(['Named here']);
    });

    for (const [here, there, conversationId] of [
      ['c1', 'c2', 'c1'],
      [undefined, 'c2', 'c2'],
    ] as const) {
      it(`uses the conversation id “${conversationId}” if this device has ${here ? `“${here}”` : 'none'} and the file has “${there}”`, async () => {
        const turns = inARow(turn('Where?'), turn('When?'));
        const stored = await importBeside({ conversationId: there, turns }, { conversationId: here });
        expect(stored.conversationId).to.equal(conversationId);
      });
    }

    it('dates a conversation with added turns by its latest activity, on this device or in the file', async () => {
      library.create('one').saveTurns(record(turn('Where?')));
      const lastActiveAt = () => library.getState().entries[0]?.lastActiveAt ?? 0;
      const before = lastActiveAt();
      const turns = inARow(turn('Where?'), turn('When?'), turn('Why?'));
      await library.importFile(fileOf({ ...valid, lastActiveAt: before - 1, turns: turns.slice(0, 2) }));
      expect(lastActiveAt()).to.equal(before);
      await library.importFile(fileOf({ ...valid, lastActiveAt: before + 1, turns }));
      expect(lastActiveAt()).to.equal(before + 1);
    });

    it('adds the conversations to the list in every tab', async () => {
      const otherTab = await device.openLoaded();
      await library.importFile(fileOf(valid));
      await device.clock.advance(0);
      expect(otherTab.getState().entries.map(({ id }) => id)).to.deep.equal(['one']);
    });

    it('marks the turns that come from the file, in this and in later exports', async () => {
      const { turns } = await importBeside({ turns: inARow(turn('Where?'), turn('When?')) });
      const [exported] = JSON.parse(JSON.stringify(await library.exportAll())).conversations;
      const reloaded = await openTranscript(await device.openLoaded(), 'one');
      for (const marked of [turns, exported.turns, reloaded.load().turns])
        expect(marked.map(({ isImported }: Turn) => isImported)).to.deep.equal([undefined, true]);
    });

    it('adds a conversation that has only a draft', async () => {
      const typed = { ...valid, title: 'Where', shownId: null, turns: [], draft: 'Where' };
      expect(await library.importFile(fileOf(typed))).to.deep.equal({ added: 1, unchanged: 0, rejected: [] });
      const draft = { ...emptyDraft, text: 'Where' };
      expect(await loadOne()).to.deep.include({ turns: [], shownId: null, draft });
    });

    it('keeps the name of a conversation that is on this device, even before the list is loaded', async () => {
      await fill();
      const text = JSON.stringify(await library.exportOne('one'));
      library.rename('one', 'Renamed');
      await device.clock.advance(0);
      const otherTab = device.open();
      expect(await otherTab.importFile(text)).to.include({ added: 0, unchanged: 1 });
      expect(otherTab.getState().entries.map(({ name }) => name)).to.include('Renamed');
    });

    it('keeps the draft of a conversation that is already on this device', async () => {
      library.create('one').saveDraft({ ...emptyDraft, text: 'And then?' });
      const { draft } = await importBeside({ turns: inARow(turn('Where?'), turn('When?')), draft: 'Where to?' });
      expect(draft.text).to.equal('And then?');
    });

    for (const [which, shownInFile, shownId] of [
      ['the last added turn if this device already has the turn', 'Where?', 'By when?'],
      ['the turn even if a later one is added too', 'Since when?', 'Since when?'],
    ] as const) {
      it(`shows ${which} that the file shows`, async () => {
        const turns = [turn('Where?'), turn('Since when?'), turn('By when?', '', { parentId: 'Since when?' })];
        expect(await importBeside({ turns, shownId: shownInFile })).to.include({ shownId });
      });
    }

    it('shows the last turn of a new conversation if the file’s `shownId` is none of its turns', async () => {
      await library.importFile(
        fileOf({ ...valid, turns: inARow(turn('Where?'), turn('When?')), shownId: 'elsewhere' }),
      );
      expect(await loadOne()).to.include({ shownId: 'When?' });
    });

    it('shortens a name to one line of 80 characters', async () => {
      await library.importFile(fileOf({ ...valid, name: ` Status\n${'x'.repeat(100)}` }));
      expect(library.getState().entries[0]?.name).to.equal(`Status ${'x'.repeat(72)}…`);
    });

    it('adds turns after the stored ones, even if an earlier turn was deleted', async () => {
      const transcript = library.create('one');
      transcript.load();
      transcript.saveTurns(record(turn('Where?'), turn('Refused?'), turn('When?')));
      transcript.saveTurns(record(turn('Where?'), turn('When?')));
      await device.clock.advance(0);
      const turns = inARow(turn('Where?'), turn('When?'), turn('Again?'), turn('And then?'));
      await library.importFile(fileOf({ ...valid, turns, shownId: 'And then?' }));
      const stored = (await openTranscript(await device.openLoaded(), 'one')).load();
      expect(stored.turns.map(({ id }) => id)).to.deep.equal(turns.map(({ id }) => id));
    });

    it('restores a conversation that was deleted on this device', async () => {
      library.create('one').saveTurns(record(turn('Where?')));
      library.remove('one');
      expect(await library.importFile(fileOf(valid))).to.include({ added: 1 });
      expect(entryIds()).to.deep.equal(['one']);
    });

    const noFiles: [string, string, RejectionReason][] = [
      ['that is not JSON', 'Dear diary', 'notAFile'],
      ['that is empty', '', 'notAFile'],
      ['of another kind', '{"format":"other","version":1,"conversations":[]}', 'notAFile'],
      ['without conversations', fileOf().replace('[]', '{}'), 'damagedFile'],
      ['whose end is missing', fileOf(valid).slice(0, -10), 'damagedFile'],
      ['that is indented and whose end is missing', fileOf(valid).replace('{', '{\n  ').slice(0, -10), 'damagedFile'],
      ['with an export in a text', `See ${fileOf(valid)}`, 'notAFile'],
      ['nested a million levels deep', '['.repeat(1_000_000), 'notAFile'],
      ['of a later version', fileOf(valid).replace('"version":1', '"version":2'), 'laterVersion'],
    ];
    for (const [what, text, reason] of noFiles) {
      it(`imports nothing from a file ${what}`, async () => {
        const rejected = [{ reason, entry: null }];
        expect(await library.importFile(text)).to.deep.equal({ added: 0, unchanged: 0, rejected });
      });
    }

    const entries: [what: string, entry: unknown, reason: RejectionReason, title?: string][] = [
      ['is null', null, 'noConversation', ''],
      ['has a path as its id', { ...valid, id: '../../x' }, 'noConversation'],
      ['has an id of 65 characters', { ...valid, id: 'x'.repeat(65) }, 'noConversation'],
      ['has a number as its title', { ...valid, title: 5 }, 'noConversation', ''],
      ['has lastActiveAt out of range', { ...valid, lastActiveAt: 1e300 }, 'noConversation'],
      ['has a number as a shown id', { ...valid, earlierShownIds: [1] }, 'noConversation'],
      ['has lastActiveAt as text', { ...valid, lastActiveAt: '2030' }, 'noConversation'],
      ['has lastActiveAt before 1970', { ...valid, lastActiveAt: -1 }, 'noConversation'],
      ['has a number as its name', { ...valid, name: 5 }, 'noConversation'],
      ['has a number as its conversation id', { ...valid, conversationId: 5 }, 'noConversation'],
      ['has a number as its shown turn', { ...valid, shownId: 5 }, 'noConversation'],
      ['has text as the time of its removal', { ...valid, removedAt: '2030' }, 'noConversation'],
      ['has a number as its draft', { ...valid, draft: 5 }, 'noConversation'],
      ['has text as its pin', { ...valid, pinned: 'yes' }, 'noConversation'],
      ['has turns as text', { ...valid, turns: 'none' }, 'noConversation'],
      ['has a turn without fields', { ...valid, turns: [{}] }, 'damagedTurn'],
      ['has two turns with one id', { ...valid, turns: [turn('a'), turn('a')] }, 'damagedTurn'],
      ['has a turn that follows itself', { ...valid, turns: [turn('a', '', { parentId: 'a' })] }, 'damagedTurn'],
      ['has a turn before its parent', { ...valid, turns: inARow(turn('b'), turn('a')).reverse() }, 'damagedTurn'],
      ['has a turn with an id of 201 characters', { ...valid, turns: [turn('a'.repeat(201))] }, 'damagedTurn'],
      ['has askedAt out of range', { ...valid, turns: [turn('a', '', { askedAt: 1e300 })] }, 'damagedTurn'],
    ];
    for (const [what, entry, reason, title = 'Where?'] of entries) {
      it(`skips a conversation that ${what}, and reports the reason`, async () => {
        const imported = await library.importFile(fileOf(entry, { ...valid, id: 'two' }));
        const rejected = [{ reason, entry: { position: 1, title } }];
        expect(imported).to.deep.equal({ added: 1, unchanged: 0, rejected });
        expect(entryIds()).to.deep.equal(['two']);
      });
    }

    for (const [error, reason] of [
      ['QuotaExceededError', 'storageFull'],
      ['UnknownError', 'notStored'],
    ] as const) {
      it(`reports each conversation as not imported if the database rejects with ${error}`, async () => {
        device.database.write = async () => {
          throw new DOMException('', error);
        };
        const { rejected } = await library.importFile(fileOf(valid));
        expect(rejected).to.deep.equal([{ reason, entry: { position: 1, title: 'Where?' } }]);
      });
    }
  });
});
