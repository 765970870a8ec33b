import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { emptyDraft } from '../../../client/chat/draft.ts';
import { ofEachTest } from '../../support/of-suite.ts';
import { record, turn } from '../chat/turns.ts';
import { createFakeDevice, openTranscript, prefix } from '../conversations/list-harness.ts';

describe('What is not written yet', () => {
  /** Lets writes fail with this error, or succeed again. */
  let refuse: (name: string | undefined) => void;

  const device = ofEachTest(() => createFakeDevice());
  beforeEach(async () => {
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

  it('is handed over at once when the page is left, even while a write is under way', async () => {
    const list = await device.openLoaded();
    const handedOver: string[][] = [];
    const { write } = device.database;
    device.database.write = (changes) => {
      handedOver.push(changes.turns.map(({ turn }) => turn.reply));
      return write(changes);
    };
    const transcript = list.begin('one');
    transcript.saveTurns(record(running));
    transcript.saveTurns(record({ ...running, reply: 'We are in week 3.' }));
    list.keep();
    expect(handedOver).to.deep.equal([['We are in'], ['We are in week 3.']]);
    await device.clock.advance(0);
    expect(await repliesOf('one')).to.deep.equal(['We are in week 3.']);
  });

  it('is still there as a draft where the page is lost before its question could be written', async () => {
    const list = await device.openLoaded();
    const transcript = list.begin('one');
    transcript.saveDraft({ ...emptyDraft, text: 'Where do we stand?' });
    await device.clock.advance(0);
    refuse('QuotaExceededError');
    transcript.saveTurns(record({ ...running, reply: '' }));
    transcript.saveDraft(emptyDraft);
    await device.clock.advance(0);
    expect(transcript.load().draft).to.deep.equal(emptyDraft);
    expect(device.storage.getItem(`${prefix}:conversation:one:typed`)).to.contain('Where do we stand?');

    refuse(undefined);
    await device.clock.advance(5_000);
    expect(await repliesOf('one')).to.deep.equal(['']);
    expect(device.storage.getItem(`${prefix}:conversation:one:typed`)).to.equal(null);
  });

  it('says nothing of room where the database is out of order for another reason, and tries again', async () => {
    const list = await device.openLoaded();
    refuse('UnknownError');
    list.begin('one').saveTurns(record(running));
    await device.clock.advance(0);
    expect(list.getState().room).to.equal('enough');
    refuse(undefined);
    await device.clock.advance(5_000);
    expect(await repliesOf('one')).to.deep.equal(['We are in']);
  });

  it('stays in the list when the device is read again', async () => {
    const list = await device.openLoaded();
    refuse('QuotaExceededError');
    list.begin('one').saveTurns(record(running));
    await device.clock.advance(0);
    await list.takeIn();
    expect(list.getState().entries.map(({ id }) => id)).to.deep.equal(['one']);
    refuse(undefined);
    await device.clock.advance(5_000);
    expect((await device.database.readConversations()).map(({ id }) => id)).to.deep.equal(['one']);
  });

  it('is not written after all conversations have been removed', async () => {
    const list = await device.openLoaded();
    refuse('QuotaExceededError');
    list.begin('one').saveTurns(record(running));
    await device.clock.advance(0);
    refuse(undefined);
    const { clear } = device.database;
    device.database.clear = async () => {
      await clear();
      // The page is hidden before the list learns that the database is empty.
      list.keep();
    };
    await list.removeAll();
    await device.clock.advance(5_000);
    expect(await device.database.readConversations()).to.deep.equal([]);
    expect(await repliesOf('one')).to.deep.equal([]);
  });

  it('leaves no draft on the device after the person has signed out', async () => {
    const list = await device.openLoaded();
    const transcript = list.begin('one');
    list.close();
    transcript.saveDraft({ ...emptyDraft, text: 'Where do we stand?' });
    expect([...device.storage.items]).to.deep.equal([]);
  });

  it('is not undone by what another tab has written to the same conversation', async () => {
    const [here, there] = [await device.openLoaded(), await device.openLoaded()];
    here.begin('one').saveTurns(record(running));
    await device.clock.advance(0);
    refuse('QuotaExceededError');
    const other = await openTranscript(there, 'one');
    const stopped = { ...running, reply: 'We are in week', ending: { type: 'stopped' } } as const;
    const [kept] = other.load().turns;
    expect(kept).to.deep.equal(running);
    other.saveTurns(record(stopped));
    await device.clock.advance(0);
    refuse(undefined);
    here.rename('one', 'Status');
    await device.clock.advance(0);
    expect(other.load().turns).to.deep.equal([stopped]);
    await device.clock.advance(5_000);
    expect(await repliesOf('one')).to.deep.equal(['We are in week']);
  });
});
