import { expect } from 'chai';
import { describe, it } from 'mocha';
import { noChanges } from '../../../client/device/conversation-database.ts';
import type { ConversationRow, TurnRow } from '../../../client/device/conversation-records.ts';
import { ofEachTest } from '../../support/of-suite.ts';
import { inARow, turn } from '../chat/turns.ts';
import { createFakeDevice, openTranscript } from '../conversations/list-harness.ts';

const turns = inARow(turn('Where?'), turn('When?'), turn('Why?'));
const rows = turns.map((turn, order): TurnRow => ({ conversation: 'one', id: turn.id, order, turn }));
const row: ConversationRow = { id: 'one', title: 'Where?', name: 'Status', lastActiveAt: 1000, shownId: 'Why?' };

describe('A record that cannot be read', () => {
  const device = ofEachTest(() => createFakeDevice());

  async function openWith(conversation: object, kept: readonly object[] = rows) {
    await device.database.write(
      Object.assign({}, noChanges, { conversations: [conversation, { ...row, id: 'whole' }], turns: kept }),
    );
    return device.openLoaded();
  }

  for (const damage of [{ lastActiveAt: 1e300 }, { title: 5 }]) {
    it(`is skipped where it is a conversation with ${JSON.stringify(damage)}, and left with all its turns`, async () => {
      const list = await openWith({ ...row, ...damage });
      expect(list.getState().entries.map(({ id }) => id)).to.deep.equal(['whole']);
      list.rename('whole', 'Another name');
      await device.clock.advance(0);
      expect(await device.database.readTurns('one')).to.deep.equal(rows);
    });
  }

  it('is none for a moment that no date can say: it is not known', async () => {
    const far = rows.map((row) => ({ ...row, turn: { ...row.turn, askedAt: 1e300 } }));
    const list = await openWith(row, far);
    expect((await openTranscript(list, 'one')).load().turns).to.deep.equal(turns);
  });

  it('lets the page begin even where nothing can be read', async () => {
    device.database.readConversations = async () => {
      throw new DOMException('', 'UnknownError');
    };
    const list = await device.openLoaded();
    expect(list.getState()).to.deep.include({ entries: [], isLoaded: true });
  });
});
