import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { type ConversationRow, noChanges, type TurnRow } from '../../../client/device/conversation-store.ts';
import { createMemoryStore } from '../../../client/device/memory-store.ts';
import { inARow, turn } from '../chat/turns.ts';
import { createFakeDevice, type FakeDevice, openTranscript } from '../conversations/list-harness.ts';

const turns = inARow(turn('Where?'), turn('When?'), turn('Why?'));
const rows = turns.map((turn, order): TurnRow => ({ conversation: 'one', id: turn.id, order, turn }));
const row: ConversationRow = { id: 'one', title: 'Where?', name: 'Status', lastActiveAt: 1000, shownId: 'Why?' };

describe('A damaged store', () => {
  let device: FakeDevice;

  beforeEach(() => {
    device = createFakeDevice({ store: createMemoryStore() });
  });

  async function openWith(conversation: object, kept: readonly object[] = rows) {
    await device.store.write(
      Object.assign({}, noChanges, { conversations: [conversation, { ...row, id: 'whole' }], turns: kept }),
    );
    const list = device.open();
    await list.loaded;
    return list;
  }

  for (const damage of [{ lastActiveAt: 1e300 }, { lastActiveAt: Number.NaN }, { lastActiveAt: -1 }, { title: 5 }]) {
    it(`gives a conversation with ${JSON.stringify(damage)} an entry again, and shows all others`, async () => {
      const list = await openWith({ ...row, ...damage });
      const { entries, damagedCount } = list.getState();
      expect(entries.map(({ id }) => id)).to.have.members(['one', 'whole']);
      expect(entries.map(({ name }) => name)).to.deep.equal(['Status', 'Status']);
      expect(damagedCount).to.equal(1);
      for (const { lastActiveAt } of entries) expect(new Date(lastActiveAt).toISOString()).to.be.a('string');
      expect((await openTranscript(list, 'one')).load().turns).to.deep.equal(turns);
      expect(await list.exportDamaged()).to.contain('"id":"one"');
    });
  }

  it('shows all turns of a conversation but those that cannot be read, and keeps these aside', async () => {
    const broken = { conversation: 'one', id: 'When?', order: 1, turn: { question: 5 } };
    const list = await openWith(
      row,
      [rows[0], broken, rows[2]].filter((row) => row !== undefined),
    );
    const { turns: shown } = (await openTranscript(list, 'one')).load();
    expect(shown.map(({ id, parentId }) => ({ id, parentId }))).to.deep.equal([
      { id: 'Where?', parentId: null },
      { id: 'Why?', parentId: 'Where?' },
    ]);
    expect(await list.exportDamaged()).to.contain('"question":5');
    expect(list.getState().damagedCount).to.equal(1);
  });

  it('takes a moment that no date can say for one that is not known', async () => {
    const far = rows.map((row) => ({ ...row, turn: { ...row.turn, askedAt: 1e300 } }));
    const list = await openWith(row, far);
    expect((await openTranscript(list, 'one')).load().turns).to.deep.equal(turns);
  });

  it('lets the page begin where the store cannot be read at all', async () => {
    device.store.readConversations = async () => {
      throw new DOMException('', 'UnknownError');
    };
    const list = device.open();
    await list.loaded;
    expect(list.getState()).to.deep.include({ entries: [], isLoaded: true });
  });
});
