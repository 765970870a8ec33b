import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import type { ConversationStore } from '../../../client/device/conversation-store.ts';
import { createMemoryStore } from '../../../client/device/memory-store.ts';
import { createFakeStorage } from '../../../client-package/testing/fake-storage.ts';
import { record, turn } from '../chat/turns.ts';
import { createFakeDevice, type FakeDevice, openTranscript, prefix } from '../conversations/list-harness.ts';

/** A store that writes only while it is told to. */
function createStubbornStore() {
  const store = createMemoryStore();
  let refusal: Error | undefined;
  const stubborn: ConversationStore = {
    ...store,
    async write(changes) {
      if (refusal) throw refusal;
      await store.write(changes);
    },
  };
  return {
    store: stubborn,
    refuse(name: string | undefined): void {
      refusal = name === undefined ? undefined : new DOMException('', name);
    },
  };
}

describe('What is not written yet', () => {
  let device: FakeDevice;
  let refuse: (name: string | undefined) => void;

  beforeEach(() => {
    const stubborn = createStubbornStore();
    refuse = stubborn.refuse;
    device = createFakeDevice({ store: stubborn.store });
  });

  const running = { ...turn('Where do we stand?', 'We are in'), ending: null };
  const journalKeys = () => [...device.storage.items.keys()].filter((key) => key.startsWith(`${prefix}:unwritten`));

  it('is kept when the page is left, and folded in at the next start', async () => {
    const list = device.open();
    await list.loaded;
    refuse('InvalidStateError');
    list.begin('one').saveTurns(record(running));
    await device.clock.advance(0);
    list.keep();
    refuse(undefined);
    const next = device.open();
    const transcript = await openTranscript(next, 'one');
    expect(transcript.load().turns).to.deep.equal([running]);
    expect(next.getState().entries.map(({ title }) => title)).to.deep.equal(['Where do we stand?']);
    expect(journalKeys()).to.deep.equal([]);
  });

  it('is forgotten once the store has it', async () => {
    const list = device.open();
    await list.loaded;
    list.begin('one').saveTurns(record(running));
    list.keep();
    expect(journalKeys()).to.have.length(1);
    await device.clock.advance(0);
    expect(journalKeys()).to.deep.equal([]);
  });

  it('does not undo what the store has got since', async () => {
    const list = device.open();
    await list.loaded;
    const transcript = list.begin('one');
    transcript.saveTurns(record(running));
    list.keep();
    const left = [...device.storage.items];
    await device.clock.advance(0);
    transcript.saveTurns(record(turn('Where do we stand?', 'We are in week 3.')));
    await device.clock.advance(0);
    for (const [key, value] of left) device.storage.setItem(key.replace('page-1', 'page-0'), value);
    const kept = (await openTranscript(device.open(), 'one')).load();
    expect(kept.turns.map(({ reply }) => reply)).to.deep.equal(['We are in week 3.']);
  });

  it('is the last turn alone where there is no room for more', async () => {
    const storage = createFakeStorage(2000);
    const { open, clock } = createFakeDevice({ store: device.store, storage });
    const list = open();
    await list.loaded;
    refuse('InvalidStateError');
    list.begin('one').saveTurns(record(turn('Long', 'x'.repeat(3000)), running));
    await clock.advance(0);
    list.keep();
    refuse(undefined);
    const next = open();
    const kept = (await openTranscript(next, 'one')).load();
    expect(kept.turns.map(({ reply }) => reply)).to.deep.equal(['We are in']);
  });

  it('stays in memory where the device is full, and is written once there is room; nothing older is lost', async () => {
    const list = device.open();
    await list.loaded;
    list.begin('one').saveTurns(record(turn('Older')));
    await device.clock.advance(0);
    refuse('QuotaExceededError');
    const transcript = list.begin('two');
    transcript.saveTurns(record(running));
    await device.clock.advance(0);
    expect(list.getState().room).to.equal('full');
    expect(transcript.load().turns).to.deep.equal([running]);
    expect(list.getState().entries.map(({ title }) => title)).to.have.members(['Older', 'Where do we stand?']);
    await device.clock.advance(60_000);
    expect(list.getState().room).to.equal('full');
    const { conversations } = await list.exportAll();
    expect(conversations.flatMap(({ turns }) => turns)).to.have.deep.members([turn('Older'), running]);

    refuse(undefined);
    await device.clock.advance(5_000);
    expect(list.getState().room).to.equal('enough');
    const next = device.open();
    await next.loaded;
    expect(next.getState().entries).to.have.length(2);
    expect((await openTranscript(next, 'two')).load().turns).to.deep.equal([running]);
  });

  it('says nothing of room where the store is out of order for another reason, and tries again', async () => {
    const list = device.open();
    await list.loaded;
    refuse('UnknownError');
    list.begin('one').saveTurns(record(running));
    await device.clock.advance(0);
    expect(list.getState().room).to.equal('enough');
    refuse(undefined);
    await device.clock.advance(5_000);
    expect(await device.store.readTurns('one')).to.have.length(1);
  });
});
