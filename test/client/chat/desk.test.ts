import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { createConversation } from '../../../client/chat/conversation.ts';
import { createConversationList } from '../../../client/chat/conversation-list.ts';
import { createDesk } from '../../../client/chat/desk.ts';
import { deviceKeys, forgetPerson } from '../../../client/device-storage.ts';
import { type FakeBackend, replies, startFakeBackend } from '../../../client-package/testing/fake-backend.ts';
import { createFakeClock } from '../../../client-package/testing/fake-clock.ts';
import { createFakeLock } from '../../../client-package/testing/fake-lock.ts';
import { createFakeStorage, type FakeStorage } from '../../../client-package/testing/fake-storage.ts';
import { isIdle, until } from '../../../client-package/testing/until.ts';
import { lastTurn, shows } from './conversation-harness.ts';

describe('A desk with conversations', () => {
  let backend: FakeBackend;
  let storage: FakeStorage;
  let tabStorage: FakeStorage;
  let ids: number;
  const lock = createFakeLock();
  const clock = createFakeClock();

  beforeEach(async () => {
    backend = await startFakeBackend();
    storage = createFakeStorage();
    tabStorage = createFakeStorage();
    ids = 0;
  });

  afterEach(() => backend.close());

  function open() {
    const list = createConversationList(storage, deviceKeys.conversations('ada'), clock);
    const createId = () => `id-${++ids}`;
    const desk = createDesk({
      list,
      tabStorage,
      openKey: deviceKeys.openConversation('ada'),
      createId,
      createConversation: (transcript) =>
        createConversation({ url: backend.url, transcript, fetch, clock, createRequestId: createId, lock }),
    });
    const current = () => desk.getState().conversation;
    return { list, desk, current };
  }

  it('has its own conversation at the server for each', async () => {
    const { desk, current } = open();
    backend.answer(replies('One.', 'c1'), replies('Two.', 'c2'), replies('Three.', 'c1'));
    await current().send('One?');
    const { id } = desk.getState();
    desk.startNew();
    await current().send('Two?');
    desk.open(id);
    await current().send('Three?');
    const bodies = backend.requests.map(({ body }) => body);
    expect(bodies[1]).to.deep.equal({ messages: [{ role: 'user', content: 'Two?' }] });
    expect(bodies[2]).to.include({ conversationId: 'c1' });
  });

  it('keeps what is typed in each', async () => {
    const { desk, current } = open();
    backend.answer(replies('One.'));
    await current().send('One?');
    current().setDraft('More of one');
    const { id } = desk.getState();
    desk.startNew();
    current().setDraft('Two');
    desk.open(id);
    expect(current().getState().draft).to.equal('More of one');
  });

  it('shows the same one after a reload, and the latest in a new tab', async () => {
    const { desk, current } = open();
    backend.answer(replies('One.'), replies('Two.'));
    await current().send('One?');
    const { id } = desk.getState();
    desk.startNew();
    await clock.advance(1000);
    await current().send('Two?');
    desk.open(id);
    expect(lastTurn(open().current()).question).to.equal('One?');
    tabStorage = createFakeStorage();
    expect(lastTurn(open().current()).question).to.equal('Two?');
  });

  it('begins no second empty conversation', () => {
    const { desk } = open();
    const { id } = desk.getState();
    desk.startNew();
    expect(desk.getState()).to.include({ id, isNew: true });
  });

  it('lets a reply go on that is being written in another one, and sends nothing meanwhile', async () => {
    const { desk, current } = open();
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
    expect(lastTurn(current())).to.deep.include({ reply: 'One.', ending: { type: 'done' } });
  });

  it('goes to the latest of the others when the open one is removed, and stops what ran in it', async () => {
    const { desk, list, current } = open();
    backend.answer(replies('One.'));
    await current().send('One?');
    desk.startNew();
    const opened = backend.open();
    const running = current();
    const sent = running.send('Two?');
    const response = await opened;
    const hungUp = new Promise<void>((resolve) => response.on('close', resolve));
    desk.remove(desk.getState().id);
    await Promise.all([sent, hungUp]);
    expect(isIdle(running.getState())).to.equal(true);
    expect(lastTurn(current()).question).to.equal('One?');
    expect(list.getState().entries.map(({ title }) => title)).to.deep.equal(['One?']);
  });

  it('takes in what another tab has said in the open one, and which conversations there are', async () => {
    const [here, there] = [open(), open()];
    there.desk.open(here.desk.getState().id);
    backend.answer(replies('One.'));
    await there.current().send('One?');
    const { id } = here.desk.getState();
    here.desk.takeIn(here.list.keyOf(id));
    here.desk.takeIn(here.list.indexKey);
    expect(lastTurn(here.current()).reply).to.equal('One.');
    expect(here.list.getState().entries).to.have.length(1);
  });

  it('leaves no trace of a person who signs out, not even by what runs or when the page is left', async () => {
    const { desk, current } = open();
    const opened = backend.open('c1');
    const sent = current().send('One?');
    (await opened).write('On');
    await until(current(), shows('On'));
    current().setDraft('Two?');
    desk.clear();
    forgetPerson('ada', [storage, tabStorage]);
    await sent;
    await clock.advance(5000);
    desk.keep();
    desk.leave();
    expect([...storage.items, ...tabStorage.items]).to.deep.equal([]);
    expect(current().getState()).to.deep.include({ turns: [], draft: '' });
  });
});
