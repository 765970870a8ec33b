import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { createConversation } from '../../../client/chat/conversation.ts';
import type { Conversation } from '../../../client/chat/conversation-interface.ts';
import { createStoredCooldown } from '../../../client/chat/cooldown.ts';
import type { Turn } from '../../../client/chat/turn.ts';
import { deleteUserData, deviceKeys } from '../../../client/device/device-storage.ts';
import { createOpenConversations } from '../../../client/library/open-conversations.ts';
import { fails, replies, startFakeBackend } from '../../../client-package/testing/fake-backend.ts';
import { createFakeLock } from '../../../client-package/testing/fake-lock.ts';
import { createFakeStorage, type FakeStorage } from '../../../client-package/testing/fake-storage.ts';
import { isIdle, until } from '../../../client-package/testing/until.ts';
import { perTest } from '../../support/per-suite.ts';
import { lastTurn, shows } from '../chat/conversation-harness.ts';
import { record, turn } from '../chat/turns.ts';
import { createFakeDevice } from './library-harness.ts';

describe('The open conversations of a tab', () => {
  let tabStorage: FakeStorage;
  let ids: number;
  const lock = createFakeLock();

  const backend = perTest(() => startFakeBackend());
  const device = perTest(() => createFakeDevice());
  beforeEach(() => {
    tabStorage = createFakeStorage();
    ids = 0;
  });

  function start(addressedId?: string) {
    const library = device.open();
    const { clock } = device;
    const cooldown = createStoredCooldown(device.storage, 'blocked', clock);
    const createId = () => `id-${++ids}`;
    const openConversations = createOpenConversations({
      library,
      tabStorage,
      openKey: deviceKeys.openConversation('ada'),
      idInUrl: addressedId,
      createId,
      onStartNew: () => cooldown.save(0),
      createConversation: (transcript) =>
        createConversation({ url: backend.url, transcript, cooldown, fetch, clock, createRequestId: createId, lock }),
    });
    const current = (): Conversation => {
      const { conversation } = openConversations.getState();
      if (conversation === undefined) throw new Error('No conversation is open.');
      return conversation;
    };
    return { library, openConversations, current };
  }

  async function open(addressedId?: string) {
    const started = start(addressedId);
    await finishReads();
    return started;
  }

  const finishReads = () => device.clock.advance(0);

  it('each have their own conversation id at the service', async () => {
    const { openConversations, current } = await open();
    backend.answer(replies('One.', 'c1'), replies('Two.', 'c2'), replies('Three.', 'c1'));
    await current().send('One?');
    const { id } = openConversations.getState();
    openConversations.startNew();
    await current().send('Two?');
    openConversations.open(id);
    await finishReads();
    await current().send('Three?');
    const bodies = backend.requests.map(({ body }) => body);
    expect(bodies[1]).to.deep.equal({ messages: [{ role: 'user', content: 'Two?' }] });
    expect(bodies[2]).to.include({ conversationId: 'c1' });
  });

  it('are exported with a draft that was just typed', async () => {
    const { library, current } = await open();
    backend.answer(replies('One.'));
    await current().send('One?');
    current().setDraft('More of one');
    const { conversations } = await library.exportAll();
    expect(conversations.map(({ draft }) => draft)).to.deep.equal(['More of one']);
  });

  it('persist nothing after all conversations have been removed', async () => {
    const { library, openConversations, current } = await open();
    backend.answer(replies('One.'));
    await current().send('One?');
    current().setDraft('More of one');
    const removed = library.removeAll();
    await device.clock.advance(1000);
    await removed;
    expect(current().getState().turns).to.deep.equal([]);
    expect(current().getState().draft.text).to.equal('');
    openConversations.persist();
    expect([...device.storage.items.keys()]).to.deep.equal([]);
    expect(await device.database.readConversations()).to.deep.equal([]);
  });

  it('include the same conversation after a reload, and the latest one in a new tab', async () => {
    const { openConversations, current } = await open();
    backend.answer(replies('One.'), replies('Two.'));
    await current().send('One?');
    const { id } = openConversations.getState();
    openConversations.startNew();
    await device.clock.advance(1000);
    await current().send('Two?');
    openConversations.open(id);
    await finishReads();
    expect(lastTurn((await open()).current()).question).to.equal('One?');
    tabStorage = createFakeStorage();
    expect(lastTurn((await open()).current()).question).to.equal('Two?');
  });

  it('include the same conversation after a reload, whether it is empty or its reply is running', async () => {
    const { openConversations, current } = await open();
    backend.answer(replies('One.'));
    await current().send('One?');
    openConversations.startNew();
    const { id } = openConversations.getState();
    const emptyId = async () => {
      const reloaded = await open();
      expect(reloaded.current().getState().turns).to.deep.equal([]);
      return reloaded.openConversations.getState().id;
    };
    expect(await emptyId()).to.equal(id);

    const response = backend.open();
    const running = current();
    const sent = running.send('Two?');
    await response;
    openConversations.startNew();
    const { id: newId } = openConversations.getState();
    expect(await emptyId()).to.equal(newId);
    openConversations.open(id);
    await finishReads();
    expect((await open()).openConversations.getState().id).to.equal(id);
    running.stop();
    await sent;
  });

  it('show the conversation in the URL rather than the one that the tab showed last', async () => {
    const { openConversations, current } = await open();
    backend.answer(replies('One.'), replies('Two.'));
    await current().send('One?');
    const { id } = openConversations.getState();
    openConversations.startNew();
    await current().send('Two?');
    await finishReads();
    expect(lastTurn((await open(id)).current()).question).to.equal('One?');
  });

  it('include the last known conversation after a reload if the tab showed an unknown one', async () => {
    const { openConversations, current } = await open();
    backend.answer(replies('One.'));
    await current().send('One?');
    openConversations.open('unknown');
    await finishReads();
    expect(openConversations.getState()).to.include({ conversation: undefined, isKnown: false });
    expect(lastTurn((await open()).current()).question).to.equal('One?');
  });

  it('keep a draft that was typed just before the user briefly opened another conversation', async () => {
    const { openConversations, current } = await open();
    backend.answer(replies('One.'));
    await current().send('One?');
    await finishReads();
    const { id } = openConversations.getState();
    current().setDraft('More of one');
    openConversations.startNew();
    openConversations.open(id);
    await finishReads();
    expect(current().getState().draft.text).to.equal('More of one');
  });

  it('are released from memory once another one is open', async () => {
    const { library, openConversations, current } = await open();
    backend.answer(replies('One.'));
    await current().send('One?');
    const { id } = openConversations.getState();
    await finishReads();
    expect([...library.openTurns().keys()]).to.deep.equal([id]);
    const openIds = () => [...library.openTurns().keys()];
    openConversations.startNew();
    const { id: newId } = openConversations.getState();
    expect(openIds()).to.deep.equal([newId]);
    openConversations.open(id);
    await finishReads();
    expect(openIds()).to.deep.equal([id]);
    openConversations.remove(id);
    await finishReads();
    expect(openIds()).to.deep.equal([openConversations.getState().id]);
  });

  it('restore a removed conversation with the draft that was typed just before its removal', async () => {
    const { library, openConversations, current } = await open();
    backend.answer(replies('One.'));
    await current().send('One?');
    await finishReads();
    const { id } = openConversations.getState();
    current().setDraft('More of one');
    openConversations.remove(id);
    library.restore(id);
    openConversations.open(id);
    await finishReads();
    expect(current().getState().draft.text).to.equal('More of one');
  });

  for (const action of ['persist', 'leave'] as const) {
    it(`start to write a running reply before ${action}() returns, even during another write`, async () => {
      const { openConversations, current } = await open();
      const opened = backend.open();
      const running = current();
      const sent = running.send('One?');
      const response = await opened;
      await device.clock.advance(1000);
      const written: string[] = [];
      const { write } = device.database;
      device.database.write = (changes) => {
        written.push(...changes.turns.map(({ turn }) => turn.reply));
        return write(changes);
      };
      response.write('On');
      await until(running, shows('On'));
      openConversations.persist();
      response.write('e.');
      await until(running, shows('One.'));
      openConversations[action]();
      expect(written.at(-1)).to.equal('One.');
      running.stop();
      await sent;
      await finishReads();
    });
  }

  it('end a running reply as `left` if the connection is lost after aboutToLeave(), even in the background', async () => {
    const { openConversations, current } = await open();
    const opened = backend.open();
    const running = current();
    const sent = running.send('One?');
    const response = await opened;
    response.write('On');
    await until(running, shows('On'));
    openConversations.startNew();
    openConversations.aboutToLeave();
    response.destroy();
    await sent;
    expect(lastTurn(running).ending).to.include({ type: 'left' });
  });

  it('end the running reply of a closed tab once watchOtherTabs() is called', async () => {
    const { openConversations, current } = await open();
    const releaseLock = await lock.take();
    const otherTab = device.open();
    const { id } = openConversations.getState();
    await otherTab.loaded;
    otherTab.create(id).saveTurns(record({ ...turn('One?', 'On'), ending: null }));
    await device.clock.advance(1000);
    expect(lastTurn(current()).ending).to.equal(null);
    releaseLock?.();
    openConversations.watchOtherTabs();
    await finishReads();
    expect(lastTurn(current()).ending).to.include({ type: 'left' });
  });

  it('keep what is typed in a conversation that was opened twice while it was loading', async () => {
    const { openConversations, library, current } = await open();
    backend.answer(replies('One.'));
    await current().send('One?');
    const { id } = openConversations.getState();
    openConversations.startNew();
    await finishReads();

    const loading: (() => void)[] = [];
    const { open: openTranscript } = library;
    library.open = async (id) => {
      await new Promise<void>((resolve) => loading.push(resolve));
      return openTranscript(id);
    };
    openConversations.open(id);
    openConversations.open(id);
    const [first, second] = loading;
    first?.();
    await finishReads();
    current().setDraft('More of one');
    second?.();
    await finishReads();
    expect(current().getState().draft.text).to.equal('More of one');
  });

  it('show the conversation that the user opened before the list was loaded', async () => {
    const { openConversations, current } = await open();
    backend.answer(replies('One.'), replies('Two.'));
    await current().send('One?');
    const { id } = openConversations.getState();
    openConversations.startNew();
    await device.clock.advance(1000);
    await current().send('Two?');
    await device.clock.advance(1000);
    tabStorage = createFakeStorage();
    const newTab = start();
    newTab.openConversations.open(id);
    await finishReads();
    expect(lastTurn(newTab.current()).question).to.equal('One?');
  });

  it('send a question that waits for a turn in another tab once watchOtherTabs() is called, even if the user has opened another conversation', async () => {
    const { openConversations, current } = await open();
    const { id } = openConversations.getState();
    const releaseLock = await lock.take();
    backend.answer(replies('One.'));
    const waiting = current();
    const sent = waiting.send('One?');
    await until(waiting, ({ waitsForOtherTab }) => waitsForOtherTab);
    openConversations.startNew();
    await finishReads();
    releaseLock?.();
    openConversations.watchOtherTabs();
    await sent;
    openConversations.open(id);
    await finishReads();
    expect(lastTurn(current())).to.include({ question: 'One?', reply: 'One.' });
    expect(await device.database.readTurns(id)).to.have.length(1);
  });

  describe('when opened at a turn', () => {
    const questions = (conversation: Conversation) => conversation.getState().turns.map(({ question }) => question);

    /** Opens a conversation whose first question was reworded: the later version is shown. */
    async function openWithVersions() {
      const opened = await open();
      const { openConversations, current } = opened;
      backend.answer(replies('One.'), replies('Two.'), replies('Three.'));
      await current().send('Where do we stand?');
      await current().send('And then?');
      const [first, second] = current().getState().turns;
      current().edit(first?.id);
      current().setDraft('Where are we?');
      await current().send('Where are we?');
      expect(questions(current())).to.deep.equal(['Where are we?']);
      const { id } = openConversations.getState();
      return { ...opened, id, earlierIds: [first?.id ?? '', second?.id ?? ''], laterId: lastTurn(current()).id };
    }

    it('keep the selected version if the turn is already visible', async () => {
      const { openConversations, current, id, earlierIds } = await openWithVersions();
      current().showVersion(earlierIds[1] ?? '');
      backend.answer(replies('Three.'));
      await current().regenerate();
      current().showVersion(earlierIds[1] ?? '');
      const { turns } = current().getState();
      openConversations.open(id, earlierIds[0]);
      expect(current().getState().turns).to.equal(turns);
    });

    it('show the version with the turn if the conversation was closed', async () => {
      const { openConversations, current, id, earlierIds } = await openWithVersions();
      openConversations.startNew();
      await finishReads();
      openConversations.open(id, earlierIds[0]);
      await finishReads();
      expect(questions(current())).to.deep.equal(['Where do we stand?', 'And then?']);
    });

    it('keep the selected version if the turn does not exist or a reply is running', async () => {
      const { openConversations, current, id, earlierIds } = await openWithVersions();
      openConversations.open(id, 'elsewhere');
      expect(questions(current())).to.deep.equal(['Where are we?']);
      const opened = backend.open();
      const sent = current().send('What is next?');
      (await opened).write('We');
      await until(current(), shows('We'));
      openConversations.open(id, earlierIds[0]);
      expect(questions(current())).to.deep.equal(['Where are we?', 'What is next?']);
      current().stop();
      await sent;
    });
  });

  for (const order of ['before', 'after'] as const) {
    it(`show the conversation that was opened last even if another one loads ${order} it`, async () => {
      const { openConversations, library, current } = await open();
      backend.answer(replies('One.'), replies('Two.'));
      await current().send('One?');
      const { id } = openConversations.getState();
      openConversations.startNew();
      await current().send('Two?');
      const { id: otherId } = openConversations.getState();
      openConversations.startNew();
      await finishReads();

      const loading = new Map<string, () => void>();
      const { open: openTranscript } = library;
      library.open = async (id) => {
        await new Promise<void>((resolve) => loading.set(id, resolve));
        return openTranscript(id);
      };
      openConversations.open(id);
      openConversations.open(otherId);
      for (const loaded of order === 'before' ? [id, otherId] : [otherId, id]) {
        loading.get(loaded)?.();
        await finishReads();
        const { id: openId, conversation } = openConversations.getState();
        expect(openId).to.equal(otherId);
        if (conversation) expect(lastTurn(conversation).question).to.equal('Two?');
      }
      expect(lastTurn(current()).question).to.equal('Two?');
    });
  }

  describe('after an import', () => {
    const fileOf = (...turns: Turn[]) =>
      JSON.stringify({
        format: 'advisory-chat-conversations',
        version: 1,
        exportedAt: 0,
        conversations: [{ id: 'one', title: 'One?', lastActiveAt: 1, shownId: turns.at(-1)?.id, turns }],
      });

    it('show a conversation that was not on this device before', async () => {
      const { openConversations, library, current } = await open('one');
      expect(openConversations.getState().isKnown).to.equal(false);
      const imported = library.importFile(fileOf(turn('One?')));
      await finishReads();
      await imported;
      await finishReads();
      expect(openConversations.getState().isKnown).to.equal(true);
      expect(lastTurn(current()).question).to.equal('One?');
    });

    it('still report a conversation as unknown if only another one was imported', async () => {
      const { openConversations, library } = await open('two');
      const imported = library.importFile(fileOf(turn('One?')));
      await finishReads();
      await imported;
      await finishReads();
      expect(openConversations.getState()).to.include({ id: 'two', conversation: undefined, isKnown: false });
    });

    it('show the version of a question that was added', async () => {
      const { openConversations, library, current } = await open();
      const first = library.importFile(fileOf(turn('One?')));
      await finishReads();
      await first;
      openConversations.open('one');
      await finishReads();
      const second = library.importFile(fileOf(turn('One?'), turn('Another one?')));
      await finishReads();
      await second;
      expect(lastTurn(current()).question).to.equal('Another one?');
    });
  });

  describe('when changed in another tab', () => {
    /** Opens a conversation with a running reply, and a list in another tab. */
    async function openRunning() {
      const { openConversations, current } = await open();
      const otherTab = await device.openLoaded();
      const opened = backend.open();
      const running = current();
      const sent = running.send('One?');
      const response = await opened;
      response.write('On');
      await until(running, shows('On'));
      await device.clock.advance(1000);
      return { otherTab, running, response, sent, id: openConversations.getState().id };
    }

    it('continue a running reply if they were renamed', async () => {
      const { otherTab, running, response, sent, id } = await openRunning();
      otherTab.rename(id, 'Status');
      await device.clock.advance(1000);
      response.end('e.');
      await sent;
      expect(lastTurn(running)).to.deep.include({ reply: 'One.', ending: { type: 'done' } });
    });

    it('end a running reply and store nothing if they were deleted permanently', async () => {
      const { otherTab, running, sent, id } = await openRunning();
      otherTab.remove(id);
      otherTab.purge(id);
      await device.clock.advance(1000);
      await sent;
      expect(isIdle(running.getState())).to.equal(true);
      await device.clock.advance(1000);
      expect(await device.database.readConversations()).to.deep.equal([]);
      expect(await device.database.readTurns(id)).to.deep.equal([]);
    });

    it('keep what the user has typed if they were deleted permanently', async () => {
      const { openConversations, current } = await open();
      const otherTab = await device.openLoaded();
      backend.answer(replies('One.'));
      await current().send('One?');
      await finishReads();
      current().setDraft('Two?');
      const { id } = openConversations.getState();
      otherTab.remove(id);
      otherTab.purge(id);
      await device.clock.advance(1000);
      const { turns, draft } = current().getState();
      expect(turns).to.deep.equal([]);
      expect(draft.text).to.equal('Two?');
    });

    it('finish a running reply if they were deleted, but stay deleted', async () => {
      const { otherTab, running, response, sent, id } = await openRunning();
      otherTab.remove(id);
      await device.clock.advance(1000);
      response.end('e.');
      await sent;
      await device.clock.advance(1000);
      expect(otherTab.getState().entries).to.deep.equal([]);
      otherTab.restore(id);
      await device.clock.advance(1000);
      expect(otherTab.getState().entries.map((entry) => entry.id)).to.deep.equal([id]);
      const stored = await device.database.readTurns(id);
      expect(stored.map(({ turn }) => turn.reply)).to.deep.equal(['One.']);
      expect(lastTurn(running)).to.deep.include({ reply: 'One.', ending: { type: 'done' } });
    });

    it('are restored if they were deleted and the user asks another question', async () => {
      const { otherTab, running, response, sent, id } = await openRunning();
      otherTab.remove(id);
      await device.clock.advance(1000);
      response.end('e.');
      await sent;
      backend.answer(replies('Two.'));
      await running.send('Two?');
      await device.clock.advance(1000);
      expect(otherTab.getState().entries.map((entry) => entry.id)).to.deep.equal([id]);
    });

    it('keep their turns if they were deleted and restored', async () => {
      const { openConversations, current } = await open();
      const otherTab = await device.openLoaded();
      backend.answer(replies('One.'));
      await current().send('One?');
      await finishReads();
      const { id } = openConversations.getState();
      otherTab.remove(id);
      await device.clock.advance(1000);
      otherTab.restore(id);
      await device.clock.advance(1000);
      expect(lastTurn(current()).reply).to.equal('One.');
      expect(await device.database.readTurns(id)).to.have.length(1);
    });
  });

  it('reuse an empty conversation when a new one is started, but not one with a draft', async () => {
    const { openConversations, current } = await open();
    const { id } = openConversations.getState();
    openConversations.startNew();
    expect(openConversations.getState()).to.include({ id });
    current().setDraft('One');
    openConversations.startNew();
    expect(openConversations.getState().id).to.not.equal(id);
    expect(current().getState().draft.text).to.equal('');
  });

  it('lift the wait after a 429 when a new one is started, even if the shown one is empty', async () => {
    const { openConversations, current } = await open();
    const shownWait = () => current().getState().cooldownUntil !== null;
    backend.answer(fails('RATE_LIMITED', { retryAfterSeconds: 3600 }), replies('One.'));
    await current().send('One?');
    expect(shownWait()).to.equal(true);
    openConversations.startNew();
    expect(shownWait()).to.equal(false);

    createStoredCooldown(device.storage, 'blocked', device.clock).save(3600);
    const reloaded = await open();
    expect(reloaded.current().getState()).to.deep.include({ turns: [] }).and.property('cooldownUntil').not.equal(null);
    reloaded.openConversations.startNew();
    expect(await reloaded.current().send('One?')).to.deep.equal({ type: 'done' });
  });

  it('stop the running turn of a removed conversation, and show the most recent of the others', async () => {
    const { openConversations, library, current } = await open();
    backend.answer(replies('One.'));
    await current().send('One?');
    openConversations.startNew();
    const opened = backend.open();
    const running = current();
    const sent = running.send('Two?');
    const response = await opened;
    const hungUp = new Promise<void>((resolve) => response.on('close', resolve));
    openConversations.remove(openConversations.getState().id);
    await Promise.all([sent, hungUp, finishReads()]);
    expect(isIdle(running.getState())).to.equal(true);
    expect(lastTurn(current()).question).to.equal('One?');
    expect(library.getState().entries.map(({ title }) => title)).to.deep.equal(['One?']);
  });

  it('report which conversation has a running turn, even while another one is visible or waiting', async () => {
    const { openConversations, current } = await open();
    const runningIds = () => openConversations.getState().runningIds;
    expect(runningIds()).to.deep.equal([]);
    const opened = backend.open();
    const sent = current().send('One?');
    const response = await opened;
    const { id } = openConversations.getState();
    openConversations.startNew();
    expect(runningIds()).to.deep.equal([id]);

    const other = current();
    const { id: otherId } = openConversations.getState();
    const otherSent = other.send('Two?');
    await until(other, ({ waitsForOtherTab }) => waitsForOtherTab);
    expect(runningIds()).to.deep.equal([id]);

    const next = backend.open();
    response.end('One.');
    await sent;
    await device.clock.advance(1000);
    const nextResponse = await next;
    expect(runningIds()).to.deep.equal([otherId]);
    nextResponse.end('Two.');
    await otherSent;
    expect(runningIds()).to.deep.equal([]);
  });

  it('leave no data behind after a sign-out, even if a turn is in flight and the page is left afterwards', async () => {
    const { library, openConversations, current } = await open();
    backend.answer(replies('Zero.'));
    await current().send('Zero?');
    openConversations.startNew();
    await device.clock.advance(1000);
    const opened = backend.open('c1');
    const sent = current().send('One?');
    (await opened).write('On');
    await until(current(), shows('On'));
    current().setDraft('Two?');
    openConversations.clear();
    expect(library.getState().entries).to.deep.equal([]);
    deleteUserData('ada', [device.storage, tabStorage]);
    await sent;
    await device.clock.advance(5000);
    openConversations.persist();
    openConversations.leave();
    expect([...device.storage.items, ...tabStorage.items]).to.deep.equal([]);
    expect(current().getState().turns).to.deep.equal([]);
    expect(current().getState().draft.text).to.equal('');
  });
});
