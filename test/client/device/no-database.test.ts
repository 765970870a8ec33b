import { expect } from 'chai';
import { describe, it } from 'mocha';
import { record, turn } from '../chat/turns.ts';
import { createFakeDevice, openTranscript } from '../conversations/list-harness.ts';

describe('Where the browser denies databases', () => {
  it('everything is there for as long as the page is open, and the list says that it is not kept', async () => {
    const device = await createFakeDevice();
    const list = await device.openLoaded({ database: null });
    expect(list.getState()).to.include({ isLoaded: true, isLasting: false });
    const said = record(turn('Where do we stand?'));
    list.begin('one').saveTurns(said);
    list.release('one');
    list.begin('two').saveTurns(record(turn('Prices?')));
    list.rename('two', 'Market');
    await device.clock.advance(60_000);
    expect((await openTranscript(list, 'one')).load().turns).to.deep.equal(said.turns);
    expect((await list.search('stand')).map(({ entry }) => entry.id)).to.deep.equal(['one']);

    const file = JSON.stringify(await list.exportAll());
    await list.removeAll();
    expect(list.getState().entries).to.deep.equal([]);
    expect(await list.importFile(file)).to.deep.equal({ added: 2, unchanged: 0, refused: [] });
    expect((await openTranscript(list, 'one')).load().turns).to.deep.equal(said.turns);

    expect(await device.database.readConversations()).to.deep.equal([]);
    const next = await device.openLoaded({ database: null });
    expect(next.getState().entries).to.deep.equal([]);
  });
});
