import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { adoptKept } from '../../../client/device/adopt-kept.ts';
import type { ConversationStore } from '../../../client/device/conversation-store.ts';
import { hasKeptBefore } from '../../../client/device/kept-before.ts';
import { createKeptTyped } from '../../../client/device/kept-typed.ts';
import { createMemoryStore } from '../../../client/device/memory-store.ts';
import { inARow, turn } from '../chat/turns.ts';
import { createFakeDevice, type FakeDevice, fill, openTranscript, prefix } from '../conversations/list-harness.ts';

const conversationId = 'c123456789012345678901234';
/** As releases before the store have kept turns: without ids of their own. */
const old = (question: string) => ({ requestId: question, question, reply: 'Week 3.', ending: { type: 'done' } });
const typed = { draft: 'And then?', setAside: null, wasRefused: false };

describe('What releases before the store have kept', () => {
  let device: FakeDevice;
  let store: ConversationStore;

  beforeEach(() => {
    store = { ...createMemoryStore(), isLasting: true };
    device = createFakeDevice({ store });
  });

  async function open() {
    const { storage, clock } = device;
    const kept = createKeptTyped(storage, prefix);
    const list = device.open({
      adopt: (store) =>
        adoptKept({ storage, prefix, store, typed: kept, createSoleId: () => 'sole', now: clock.now() }),
    });
    await list.loaded;
    return list;
  }

  it('is moved, conversation by conversation, with names, ids and what is typed', async () => {
    fill(device.storage, {
      [`${prefix}:index`]: [
        { id: 'one', title: 'Where?', name: 'Status', lastActiveAt: 2000 },
        { id: 'two', title: 'And then?', lastActiveAt: 1000 },
      ],
      [`${prefix}:conversation:one`]: { conversationId, turns: [old('Where?'), old('When?')], isShortened: false },
      [`${prefix}:conversation:two:typed`]: typed,
    });
    const list = await open();
    expect(list.getState().entries).to.deep.equal([
      { id: 'one', title: 'Where?', name: 'Status', lastActiveAt: 2000 },
      { id: 'two', title: 'And then?', name: undefined, lastActiveAt: 1000 },
    ]);
    const one = (await openTranscript(list, 'one')).load();
    expect(one).to.deep.include({ conversationId, shownId: 'When?', turns: inARow(turn('Where?'), turn('When?')) });
    expect((await openTranscript(list, 'two')).load().typed.draft).to.equal('And then?');
    expect([...device.storage.items.keys()]).to.deep.equal([`${prefix}:conversation:two:typed`]);
    expect(hasKeptBefore(device.storage, prefix)).to.equal(false);
  });

  it('is moved from the one transcript of version 1.0, with its draft', async () => {
    fill(device.storage, { [prefix]: { conversationId, draft: 'And then?', turns: [old('Where?')] } });
    const list = await open();
    const { typed, ...said } = (await openTranscript(list, 'sole')).load();
    expect(said).to.deep.equal({ conversationId, turns: [turn('Where?')], shownId: 'Where?' });
    expect(typed.draft).to.equal('And then?');
  });

  it('is moved from the one conversation with the demo, with what is typed beside it', async () => {
    fill(device.storage, { [prefix]: { turns: [old('Where?')] }, [`${prefix}:typed`]: typed });
    const list = await open();
    expect((await openTranscript(list, 'sole')).load().typed.draft).to.equal('And then?');
    expect([...device.storage.items.keys()]).to.deep.equal([`${prefix}:conversation:sole:typed`]);
  });

  for (const index of ['{', '{}', [{ id: 1 }], null, [{ id: 'one', title: 'Where?', lastActiveAt: 1e300 }]]) {
    it(`shows every conversation although its index is ${JSON.stringify(index)}`, async () => {
      fill(device.storage, {
        [`${prefix}:index`]: index,
        [`${prefix}:conversation:one`]: { turns: [old('Where?')] },
        [`${prefix}:conversation:two`]: { turns: [old('When?')] },
      });
      const { entries } = (await open()).getState();
      expect(entries.map(({ title }) => title)).to.have.members(['Where?', 'When?']);
      for (const { lastActiveAt } of entries) expect(new Date(lastActiveAt).toISOString()).to.match(/^2030/);
    });
  }

  it('is salvaged turn by turn: what cannot be read is put aside, and hides nothing else', async () => {
    fill(device.storage, {
      [`${prefix}:index`]: [{ id: 'one', title: 'Where?', lastActiveAt: 2000 }],
      [`${prefix}:conversation:one`]: { turns: [old('Where?'), { question: 5 }, old('When?')] },
      [`${prefix}:conversation:two`]: '{"turns":[{"requ',
    });
    const list = await open();
    expect((await openTranscript(list, 'one')).load().turns).to.deep.equal(inARow(turn('Where?'), turn('When?')));
    expect(list.getState()).to.deep.include({ damagedCount: 2 });
    const damaged = await list.exportDamaged();
    expect(damaged).to.contain('{"question":5}').and.to.contain('{"turns":[{"requ');
    expect([...device.storage.items]).to.deep.equal([]);
  });

  it('does no harm where two tabs move it at once', async () => {
    fill(device.storage, {
      [`${prefix}:index`]: [{ id: 'one', title: 'Where?', lastActiveAt: 2000 }],
      [`${prefix}:conversation:one`]: { turns: [old('Where?'), old('When?')] },
    });
    const [list] = await Promise.all([open(), open()]);
    expect(list.getState().entries).to.have.length(1);
    expect((await openTranscript(list, 'one')).load().turns).to.have.length(2);
  });

  it('stays where it is until the store has room for it', async () => {
    const kept = { [`${prefix}:conversation:one`]: { turns: [old('Where?')] } };
    fill(device.storage, kept);
    const { fold } = store;
    store.fold = async () => {
      throw new DOMException('', 'QuotaExceededError');
    };
    await open();
    expect([...device.storage.items.keys()]).to.deep.equal(Object.keys(kept));
    store.fold = fold;
    expect((await open()).getState().entries).to.have.length(1);
  });

  it('stays where it is, and is shown, where the browser denies a store that lasts', async () => {
    const kept = { [`${prefix}:conversation:one`]: { turns: [old('Where?')] } };
    device = createFakeDevice();
    fill(device.storage, kept);
    const list = await open();
    expect(list.getState()).to.deep.include({ isLasting: false });
    expect(list.getState().entries).to.have.length(1);
    expect([...device.storage.items.keys()]).to.deep.equal(Object.keys(kept));
  });
});
