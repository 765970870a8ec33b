import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { type Conversation, createConversation } from '../../../client/chat/conversation.ts';
import { createDesk } from '../../../client/conversations/desk.ts';
import { deviceKeys, forgetPerson } from '../../../client/device/device-storage.ts';
import { type FakeBackend, replies, startFakeBackend } from '../../../client-package/testing/fake-backend.ts';
import { createFakeLock } from '../../../client-package/testing/fake-lock.ts';
import { createFakeStorage, type FakeStorage } from '../../../client-package/testing/fake-storage.ts';
import { isIdle, until } from '../../../client-package/testing/until.ts';
import { lastTurn, shows } from '../chat/conversation-harness.ts';
import { createFakeDevice, type FakeDevice } from './list-harness.ts';

describe('A desk with conversations', () => {
  let backend: FakeBackend;
  let device: FakeDevice;
  let tabStorage: FakeStorage;
  let ids: number;
  const lock = createFakeLock();

  beforeEach(async () => {
    backend = await startFakeBackend();
    device = createFakeDevice();
    tabStorage = createFakeStorage();
    ids = 0;
  });

  afterEach(() => backend.close());

  async function open(addressedId?: string) {
    const list = device.open();
    const { clock } = device;
    const createId = () => `id-${++ids}`;
    const desk = createDesk({
      list,
      tabStorage,
      openKey: deviceKeys.openConversation('ada'),
      addressedId,
      createId,
      createConversation: (transcript) =>
        createConversation({ url: backend.url, transcript, fetch, clock, createRequestId: createId, lock }),
    });
    await clock.advance(0);
    const current = (): Conversation => {
      const { conversation } = desk.getState();
      if (conversation === undefined) throw new Error('No conversation is open.');
      return conversation;
    };
    return { list, desk, current };
  }

  /** Until what is asked of the device has been read. */
  const read = () => device.clock.advance(0);

  it('has its own conversation at the server for each', async () => {
    const { desk, current } = await open();
    backend.answer(replies('One.', 'c1'), replies('Two.', 'c2'), replies('Three.', 'c1'));
    await current().send('One?');
    const { id } = desk.getState();
    desk.startNew();
    await current().send('Two?');
    desk.open(id);
    await read();
    await current().send('Three?');
    const bodies = backend.requests.map(({ body }) => body);
    expect(bodies[1]).to.deep.equal({ messages: [{ role: 'user', content: 'Two?' }] });
    expect(bodies[2]).to.include({ conversationId: 'c1' });
  });

  it('keeps what is typed in each', async () => {
    const { desk, current } = await open();
    backend.answer(replies('One.'));
    await current().send('One?');
    current().setDraft('More of one');
    const { id } = desk.getState();
    desk.startNew();
    current().setDraft('Two');
    desk.open(id);
    await read();
    expect(current().getState().draft).to.equal('More of one');
  });

  it('has what was typed a moment ago in what is exported', async () => {
    const { list, current } = await open();
    backend.answer(replies('One.'));
    await current().send('One?');
    current().setDraft('More of one');
    const { conversations } = await list.exportAll();
    expect(conversations.map(({ draft }) => draft)).to.deep.equal(['More of one']);
  });

  it('keeps nothing that is typed once all conversations are removed', async () => {
    const { list, desk, current } = await open();
    backend.answer(replies('One.'));
    await current().send('One?');
    current().setDraft('More of one');
    const removed = list.removeAll();
    await device.clock.advance(1000);
    await removed;
    expect(current().getState()).to.deep.include({ draft: '', turns: [] });
    desk.keep();
    expect([...device.storage.items.keys()]).to.deep.equal([]);
    expect(await device.store.readConversations()).to.deep.equal([]);
  });

  it('shows the same one after a reload, and the latest in a new tab', async () => {
    const { desk, current } = await open();
    backend.answer(replies('One.'), replies('Two.'));
    await current().send('One?');
    const { id } = desk.getState();
    desk.startNew();
    await device.clock.advance(1000);
    await current().send('Two?');
    desk.open(id);
    await read();
    expect(lastTurn((await open()).current()).question).to.equal('One?');
    tabStorage = createFakeStorage();
    expect(lastTurn((await open()).current()).question).to.equal('Two?');
  });

  describe('opens a conversation at a turn', () => {
    const questions = (conversation: Conversation) => conversation.getState().turns.map(({ question }) => question);

    /** The open conversation, whose first question was asked in other words: the later ones are shown. */
    async function openWithVersions() {
      const opened = await open();
      const { desk, current } = opened;
      backend.answer(replies('One.'), replies('Two.'), replies('Three.'));
      await current().send('Where do we stand?');
      await current().send('And then?');
      const [first, second] = current().getState().turns;
      current().edit(first?.id);
      current().setDraft('Where are we?');
      await current().send('Where are we?');
      expect(questions(current())).to.deep.equal(['Where are we?']);
      const { id } = desk.getState();
      return { ...opened, id, earlierIds: [first?.id ?? '', second?.id ?? ''], laterId: lastTurn(current()).id };
    }

    it('of another version, which it shows and keeps as the one that is shown', async () => {
      const { desk, current, id, earlierIds } = await openWithVersions();
      desk.startNew();
      await read();
      desk.open(id, earlierIds[0]);
      await read();
      expect(questions(current())).to.deep.equal(['Where do we stand?', 'And then?']);
      await device.clock.advance(0);
      expect(questions((await open()).current())).to.deep.equal(['Where do we stand?', 'And then?']);
    });

    it('of another version where it is the open one', async () => {
      const { desk, current, id, earlierIds, laterId } = await openWithVersions();
      desk.open(id, earlierIds[1]);
      expect(questions(current())).to.deep.equal(['Where do we stand?', 'And then?']);
      desk.open(id, laterId);
      expect(questions(current())).to.deep.equal(['Where are we?']);
    });

    it('that is shown, and stays with what is shown after it', async () => {
      const { desk, current, id, earlierIds } = await openWithVersions();
      current().showVersion(earlierIds[1] ?? '');
      backend.answer(replies('Three.'));
      await current().regenerate();
      current().showVersion(earlierIds[1] ?? '');
      const { turns } = current().getState();
      desk.open(id, earlierIds[0]);
      expect(current().getState().turns).to.equal(turns);
    });

    it('that is not there, or while a reply runs, and stays with the version that is shown', async () => {
      const { desk, current, id, earlierIds } = await openWithVersions();
      desk.open(id, 'elsewhere');
      expect(questions(current())).to.deep.equal(['Where are we?']);
      const opened = backend.open();
      const sent = current().send('What is next?');
      (await opened).write('We');
      await until(current(), shows('We'));
      desk.open(id, earlierIds[0]);
      expect(questions(current())).to.deep.equal(['Where are we?', 'What is next?']);
      current().stop();
      await sent;
    });
  });

  it('begins no second empty conversation', async () => {
    const { desk } = await open();
    const { id } = desk.getState();
    desk.startNew();
    expect(desk.getState()).to.include({ id, isNew: true });
  });

  it('lets a reply go on that is being written in another one, and sends nothing meanwhile', async () => {
    const { desk, current } = await open();
    const opened = backend.open();
    const first = current();
    const sent = first.send('One?');
    const response = await opened;
    response.write('On');
    await until(first, shows('On'));
    const { id } = desk.getState();

    desk.startNew();
    current().setDraft('Two?');
    await current().send('Two?');
    expect(current().getState()).to.include({ isBusyElsewhere: true, draft: 'Two?' });

    response.end('e.');
    await sent;
    desk.open(id);
    await read();
    expect(lastTurn(current())).to.deep.include({ reply: 'One.', ending: { type: 'done' } });
  });

  it('goes to the latest of the others when the open one is removed, and stops what ran in it', async () => {
    const { desk, list, current } = await open();
    backend.answer(replies('One.'));
    await current().send('One?');
    desk.startNew();
    const opened = backend.open();
    const running = current();
    const sent = running.send('Two?');
    const response = await opened;
    const hungUp = new Promise<void>((resolve) => response.on('close', resolve));
    desk.remove(desk.getState().id);
    await Promise.all([sent, hungUp, read()]);
    expect(isIdle(running.getState())).to.equal(true);
    expect(lastTurn(current()).question).to.equal('One?');
    expect(list.getState().entries.map(({ title }) => title)).to.deep.equal(['One?']);
  });

  it('takes in what another tab has said in the open one, and which conversations there are', async () => {
    const [here, there] = [await open(), await open()];
    there.desk.open(here.desk.getState().id);
    there.desk.startNew();
    backend.answer(replies('One.'), replies('Two.'));
    await there.current().send('One?');
    here.desk.open(there.desk.getState().id);
    await read();
    expect(lastTurn(here.current()).reply).to.equal('One.');
    await there.current().send('Two?');
    expect(lastTurn(here.current()).reply).to.equal('Two.');
    expect(here.list.getState().entries).to.have.length(1);
  });

  it('begins with the conversation that is addressed, and says so where the device has none of that id', async () => {
    const { desk, current } = await open();
    backend.answer(replies('One.'), replies('Two.'));
    await current().send('One?');
    const { id } = desk.getState();
    desk.startNew();
    await current().send('Two?');
    expect(lastTurn((await open(id)).current()).question).to.equal('One?');
    for (const visit of [1, 2]) {
      const elsewhere = await open('from-elsewhere');
      expect(elsewhere.desk.getState(), `visit ${visit}`).to.include({
        id: 'from-elsewhere',
        isKnown: false,
        conversation: undefined,
      });
    }
    expect((await open()).list.getState().entries).to.have.length(2);
  });

  it('leaves no trace of a person who signs out, not even by what runs or when the page is left', async () => {
    const { desk, current } = await open();
    const opened = backend.open('c1');
    const sent = current().send('One?');
    (await opened).write('On');
    await until(current(), shows('On'));
    current().setDraft('Two?');
    desk.clear();
    forgetPerson('ada', [device.storage, tabStorage]);
    await sent;
    await device.clock.advance(5000);
    desk.keep();
    desk.leave();
    expect([...device.storage.items, ...tabStorage.items]).to.deep.equal([]);
    expect(current().getState()).to.deep.include({ turns: [], draft: '' });
  });
});
