import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { createConversation } from '../../../client/chat/conversation.ts';
import type { Conversation } from '../../../client/chat/conversation-interface.ts';
import { createStoredCooldown } from '../../../client/chat/cooldown.ts';
import type { Turn } from '../../../client/chat/turn.ts';
import { deleteUserData, deviceKeys } from '../../../client/device/device-storage.ts';
import type { Library } from '../../../client/library/library.ts';
import { createOpenConversations } from '../../../client/library/open-conversations.ts';
import { fails, replies, startFakeBackend } from '../../../client-package/testing/fake-backend.ts';
import { createFakeLock } from '../../../client-package/testing/fake-lock.ts';
import { createFakeStorage, type FakeStorage } from '../../../client-package/testing/fake-storage.ts';
import { isIdle, until } from '../../../client-package/testing/until.ts';
import { perTest } from '../../support/per-suite.ts';
import { lastTurn, questionsOf, shows } from '../chat/conversation-harness.ts';
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
    const conversations = createOpenConversations({
      library,
      tabStorage,
      openKey: deviceKeys.openConversation('ada'),
      idInUrl: addressedId,
      createId,
      onStartNew: () => cooldown.save(0),
      createConversation: (transcript) =>
        createConversation({ url: backend.url, transcript, cooldown, fetch, clock, createRequestId: createId, lock }),
    });
    const currentId = () => conversations.getState().id;
    const current = (): Conversation => {
      const { conversation } = conversations.getState();
      if (conversation === undefined) throw new Error('No conversation is open.');
      return conversation;
    };
    const shownQuestion = () => lastTurn(current()).question;

    /** Asks a question such as “One?”, whose reply is “One.”, and returns the id of the conversation. */
    async function ask(question: string): Promise<string> {
      backend.answer(replies(question.replace('?', '.')));
      await current().send(question);
      return currentId();
    }

    /** Asks a question, and returns the conversation while its reply is running. */
    async function startReply(question: string, reply = '') {
      const opened = backend.open();
      const running = current();
      const sent = running.send(question);
      const response = await opened;
      if (reply !== '') response.write(reply);
      await until(running, shows(reply));
      return { running, sent, response };
    }

    async function openAgain(id: string): Promise<void> {
      conversations.open(id);
      await finishReads();
    }

    /** Holds back each transcript that is opened until the function with its id is called. */
    function holdTranscripts(): { id: string; finish: () => Promise<void> }[] {
      const held: { id: string; finish: () => Promise<void> }[] = [];
      const { open: openTranscript } = library;
      library.open = async (id) => {
        const { promise, resolve } = Promise.withResolvers<void>();
        const finish = async () => {
          resolve();
          await finishReads();
        };
        held.push({ id, finish });
        await promise;
        return openTranscript(id);
      };
      return held;
    }

    return { library, conversations, current, currentId, shownQuestion, ask, startReply, openAgain, holdTranscripts };
  }

  async function open(addressedId?: string) {
    const started = start(addressedId);
    await finishReads();
    return started;
  }

  async function openAsked(question = 'One?') {
    const opened = await open();
    const id = await opened.ask(question);
    await finishReads();
    return { ...opened, id };
  }

  const finishReads = () => device.clock.advance(0);

  it('each have their own conversation id at the service', async () => {
    const { conversations, current, currentId, openAgain } = await open();
    backend.answer(replies('One.', 'c1'), replies('Two.', 'c2'), replies('Three.', 'c1'));
    await current().send('One?');
    const id = currentId();
    conversations.startNew();
    await current().send('Two?');
    await openAgain(id);
    await current().send('Three?');
    const bodies = backend.requests.map(({ body }) => body);
    expect(bodies[1]).to.deep.equal({ messages: [{ role: 'user', content: 'Two?' }] });
    expect(bodies[2]).to.include({ conversationId: 'c1' });
  });

  it('are exported and counted with a draft that was just typed', async () => {
    const { library, current } = await openAsked();
    current().setDraft('More of one');
    const { conversations } = await library.exportAll();
    expect(conversations.map(({ draft }) => draft)).to.deep.equal(['More of one']);
    current().setDraft('Even more');
    expect(library.countDrafts()).to.equal(1);
    current().setDraft('');
    expect(library.countDrafts()).to.equal(0);
  });

  it('persist nothing after all conversations have been removed', async () => {
    const { library, conversations, current } = await openAsked();
    current().setDraft('More of one');
    const removed = library.removeAll();
    await device.clock.advance(1000);
    await removed;
    expect(current().getState().turns).to.deep.equal([]);
    expect(current().getState().draft.text).to.equal('');
    conversations.persist();
    expect([...device.storage.items.keys()]).to.deep.equal([]);
    expect(await device.database.readConversations()).to.deep.equal([]);
  });

  it('include the same conversation after a reload, the latest one in a new tab, and that of the URL in any tab', async () => {
    const { conversations, ask, openAgain, id } = await openAsked();
    conversations.startNew();
    await device.clock.advance(1000);
    await ask('Two?');
    await finishReads();
    expect((await open(id)).shownQuestion()).to.equal('One?');
    await openAgain(id);
    expect((await open()).shownQuestion()).to.equal('One?');
    tabStorage = createFakeStorage();
    expect((await open()).shownQuestion()).to.equal('Two?');
  });

  it('include the same conversation after a reload, whether it is empty or its reply is running', async () => {
    const { conversations, currentId, startReply, openAgain } = await openAsked();
    const emptyId = async () => {
      const reloaded = await open();
      expect(reloaded.current().getState().turns).to.deep.equal([]);
      return reloaded.currentId();
    };
    conversations.startNew();
    const id = currentId();
    expect(await emptyId()).to.equal(id);

    const { running, sent } = await startReply('Two?');
    conversations.startNew();
    expect(await emptyId()).to.equal(currentId());
    await openAgain(id);
    expect((await open()).currentId()).to.equal(id);
    running.stop();
    await sent;
  });

  it('include the last known conversation after a reload if the tab showed an unknown one', async () => {
    const { conversations, openAgain } = await openAsked();
    await openAgain('unknown');
    expect(conversations.getState()).to.include({ conversation: undefined, isKnown: false });
    expect((await open()).shownQuestion()).to.equal('One?');
  });

  it('keep a draft that was typed just before another one was opened, or just before a removal that is undone', async () => {
    const { library, conversations, current, openAgain, id } = await openAsked();
    current().setDraft('More of one');
    conversations.startNew();
    await openAgain(id);
    expect(current().getState().draft.text).to.equal('More of one');
    current().setDraft('Even more');
    conversations.remove(id);
    library.restore(id);
    await openAgain(id);
    expect(current().getState().draft.text).to.equal('Even more');
  });

  it('are released from memory once another one is open', async () => {
    const { library, conversations, currentId, openAgain, id } = await openAsked();
    const openIds = () => [...library.openTurns().keys()];
    expect(openIds()).to.deep.equal([id]);
    conversations.startNew();
    expect(openIds()).to.deep.equal([currentId()]).and.not.include(id);
    await openAgain(id);
    expect(openIds()).to.deep.equal([id]);
    conversations.remove(id);
    await finishReads();
    expect(openIds()).to.deep.equal([currentId()]).and.not.include(id);
  });

  for (const action of ['persist', 'leave'] as const) {
    it(`start to write a running reply before ${action}() returns, even during another write`, async () => {
      const { conversations, startReply } = await open();
      const { running, sent, response } = await startReply('One?');
      await device.clock.advance(1000);
      const written: string[] = [];
      const { write } = device.database;
      device.database.write = (changes) => {
        written.push(...changes.turns.map(({ turn }) => turn.reply));
        return write(changes);
      };
      response.write('On');
      await until(running, shows('On'));
      conversations.persist();
      response.write('e.');
      await until(running, shows('One.'));
      conversations[action]();
      expect(written.at(-1)).to.equal('One.');
      running.stop();
      await sent;
      await finishReads();
    });
  }

  it('end a running reply as `left` if the connection is lost after prepareToLeave(), even in the background', async () => {
    const { conversations, startReply } = await open();
    const { running, sent, response } = await startReply('One?', 'On');
    conversations.startNew();
    conversations.prepareToLeave();
    response.destroy();
    await sent;
    expect(lastTurn(running).ending).to.include({ type: 'left' });
  });

  it('end the running reply of a closed tab once watchOtherTabs() is called', async () => {
    const { conversations, current, currentId } = await open();
    const releaseLock = await lock.take();
    const otherTab = await device.openLoaded();
    otherTab.create(currentId()).saveTurns(record({ ...turn('One?', 'On'), ending: null }));
    await device.clock.advance(1000);
    expect(lastTurn(current()).ending).to.equal(null);
    releaseLock?.();
    conversations.watchOtherTabs();
    await finishReads();
    expect(lastTurn(current()).ending).to.include({ type: 'left' });
  });

  it('keep what is typed in a conversation that was opened twice while it was loading', async () => {
    const { conversations, current, holdTranscripts, id } = await openAsked();
    conversations.startNew();
    await finishReads();
    const held = holdTranscripts();
    conversations.open(id);
    conversations.open(id);
    await held[0]?.finish();
    current().setDraft('More of one');
    await held[1]?.finish();
    expect(current().getState().draft.text).to.equal('More of one');
  });

  for (const order of ['before', 'after'] as const) {
    it(`show the conversation that was opened last even if another one loads ${order} it`, async () => {
      const { conversations, ask, currentId, shownQuestion, holdTranscripts, id } = await openAsked();
      conversations.startNew();
      const lastId = await ask('Two?');
      conversations.startNew();
      await finishReads();
      const held = holdTranscripts();
      conversations.open(id);
      conversations.open(lastId);
      expect(held.map((transcript) => transcript.id)).to.deep.equal([id, lastId]);
      for (const { finish } of order === 'before' ? held : held.reverse()) {
        await finish();
        expect(currentId()).to.equal(lastId);
        if (conversations.getState().conversation) expect(shownQuestion()).to.equal('Two?');
      }
      expect(shownQuestion()).to.equal('Two?');
    });
  }

  it('show the conversation that the user opened before the list was loaded', async () => {
    const { conversations, ask, id } = await openAsked();
    conversations.startNew();
    await device.clock.advance(1000);
    await ask('Two?');
    await device.clock.advance(1000);
    tabStorage = createFakeStorage();
    const newTab = start();
    await newTab.openAgain(id);
    expect(newTab.shownQuestion()).to.equal('One?');
  });

  it('send a question that waits for a turn in another tab once watchOtherTabs() is called, even if the user has opened another conversation', async () => {
    const { conversations, current, currentId, openAgain } = await open();
    const id = currentId();
    const releaseLock = await lock.take();
    backend.answer(replies('One.'));
    const waiting = current();
    const sent = waiting.send('One?');
    await until(waiting, ({ waitsForOtherTab }) => waitsForOtherTab);
    conversations.startNew();
    await finishReads();
    releaseLock?.();
    conversations.watchOtherTabs();
    await sent;
    await openAgain(id);
    expect(lastTurn(current())).to.include({ question: 'One?', reply: 'One.' });
    expect(await device.database.readTurns(id)).to.have.length(1);
  });

  describe('when opened at a turn', () => {
    /** Opens a conversation whose first question was reworded: the later version is shown. */
    async function openWithVersions() {
      const opened = await openAsked('Where do we stand?');
      const { current, ask } = opened;
      await ask('And then?');
      const earlierIds = current()
        .getState()
        .turns.map(({ id }) => id);
      current().edit(earlierIds[0]);
      current().setDraft('Where are we?');
      await ask('Where are we?');
      const questions = () => questionsOf(current());
      expect(questions()).to.deep.equal(['Where are we?']);
      return { ...opened, questions, earlierIds };
    }

    it('keep the selected version if the turn is already visible', async () => {
      const { conversations, current, id, earlierIds } = await openWithVersions();
      current().showVersion(earlierIds[1] ?? '');
      backend.answer(replies('Three.'));
      await current().regenerate();
      current().showVersion(earlierIds[1] ?? '');
      const { turns } = current().getState();
      conversations.open(id, earlierIds[0]);
      expect(current().getState().turns).to.equal(turns);
    });

    for (const wasClosed of [false, true]) {
      it(`show the version with the turn if the conversation was ${wasClosed ? 'closed' : 'open'}`, async () => {
        const { conversations, questions, id, earlierIds } = await openWithVersions();
        if (wasClosed) conversations.startNew();
        await finishReads();
        conversations.open(id, earlierIds[0]);
        await finishReads();
        expect(questions()).to.deep.equal(['Where do we stand?', 'And then?']);
      });
    }

    it('keep the selected version if the turn does not exist or a reply is running', async () => {
      const { conversations, startReply, questions, id, earlierIds } = await openWithVersions();
      conversations.open(id, 'elsewhere');
      expect(questions()).to.deep.equal(['Where are we?']);
      const { running, sent } = await startReply('What is next?', 'We');
      conversations.open(id, earlierIds[0]);
      expect(questions()).to.deep.equal(['Where are we?', 'What is next?']);
      running.stop();
      await sent;
    });
  });

  describe('after an import', () => {
    async function importTurns({ library }: Pick<Awaited<ReturnType<typeof open>>, 'library'>, ...turns: Turn[]) {
      const conversation = { id: 'one', title: 'One?', lastActiveAt: 1, shownId: turns.at(-1)?.id, turns };
      const file = { format: 'advisory-chat-conversations', version: 1, exportedAt: 0, conversations: [conversation] };
      const imported = library.importFile(JSON.stringify(file));
      await finishReads();
      await imported;
      await finishReads();
    }

    it('show a conversation that was not on this device before, but in no tab that shows another unknown one', async () => {
      const tab = await open('one');
      const otherTab = await open('two');
      expect(tab.conversations.getState().isKnown).to.equal(false);
      await importTurns(tab, turn('One?'));
      expect(tab.conversations.getState().isKnown).to.equal(true);
      expect(tab.shownQuestion()).to.equal('One?');
      expect(otherTab.conversations.getState()).to.include({ id: 'two', conversation: undefined, isKnown: false });
    });

    it('show the version of a question that was added', async () => {
      const tab = await open();
      await importTurns(tab, turn('One?'));
      await tab.openAgain('one');
      await importTurns(tab, turn('One?'), turn('Another one?'));
      expect(tab.shownQuestion()).to.equal('Another one?');
    });
  });

  describe('when changed in another tab', () => {
    /** Opens a conversation with a running reply, and a list in another tab. */
    async function openRunning() {
      const { currentId, startReply } = await open();
      const otherTab = await device.openLoaded();
      const started = await startReply('One?', 'On');
      await device.clock.advance(1000);
      const finishReply = async () => {
        started.response.end('e.');
        await started.sent;
        expect(lastTurn(started.running)).to.deep.include({ reply: 'One.', ending: { type: 'done' } });
        await device.clock.advance(1000);
      };
      return { otherTab, ...started, finishReply, id: currentId() };
    }

    const idsIn = ({ getState }: Pick<Library, 'getState'>) => getState().entries.map(({ id }) => id);

    it('continue a running reply if they were only renamed', async () => {
      const { otherTab, finishReply, id } = await openRunning();
      otherTab.rename(id, 'Status');
      await device.clock.advance(1000);
      await finishReply();
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
      const { current, id } = await openAsked();
      const otherTab = await device.openLoaded();
      current().setDraft('Two?');
      otherTab.remove(id);
      otherTab.purge(id);
      await device.clock.advance(1000);
      const { turns, draft } = current().getState();
      expect(turns).to.deep.equal([]);
      expect(draft.text).to.equal('Two?');
    });

    it('finish a running reply if they were deleted, but stay deleted until the user restores them or asks another question', async () => {
      const { otherTab, running, finishReply, id } = await openRunning();
      otherTab.remove(id);
      await device.clock.advance(1000);
      await finishReply();
      expect(idsIn(otherTab)).to.deep.equal([]);
      otherTab.restore(id);
      await device.clock.advance(1000);
      expect(idsIn(otherTab)).to.deep.equal([id]);
      expect(lastTurn(running).reply).to.equal('One.');
      const stored = await device.database.readTurns(id);
      expect(stored.map(({ turn }) => turn.reply)).to.deep.equal(['One.']);

      otherTab.remove(id);
      await device.clock.advance(1000);
      expect(lastTurn(running).reply).to.equal('One.');
      backend.answer(replies('Two.'));
      await running.send('Two?');
      await device.clock.advance(1000);
      expect(idsIn(otherTab)).to.deep.equal([id]);
    });
  });

  it('reuse an empty conversation when a new one is started, but not one with a draft', async () => {
    const { conversations, current, currentId } = await open();
    const id = currentId();
    conversations.startNew();
    expect(currentId()).to.equal(id);
    current().setDraft('One');
    conversations.startNew();
    expect(currentId()).to.not.equal(id);
    expect(current().getState().draft.text).to.equal('');
  });

  it('lift the wait after a 429 when a new one is started, even if the conversation on the page is empty', async () => {
    const { conversations, current } = await open();
    const shownWait = () => current().getState().cooldownUntil !== null;
    backend.answer(fails('RATE_LIMITED', { retryAfterSeconds: 3600 }), replies('One.'));
    await current().send('One?');
    expect(shownWait()).to.equal(true);
    conversations.startNew();
    expect(shownWait()).to.equal(false);

    createStoredCooldown(device.storage, 'blocked', device.clock).save(3600);
    const reloaded = await open();
    expect(reloaded.current().getState()).to.deep.include({ turns: [] }).and.property('cooldownUntil').not.equal(null);
    reloaded.conversations.startNew();
    expect(await reloaded.current().send('One?')).to.deep.equal({ type: 'done' });
  });

  it('stop the running turn of a removed conversation, and show the most recent of the others', async () => {
    const { conversations, library, currentId, shownQuestion, startReply } = await openAsked();
    conversations.startNew();
    const { running, sent, response } = await startReply('Two?');
    const hungUp = new Promise<void>((resolve) => response.on('close', resolve));
    conversations.remove(currentId());
    await Promise.all([sent, hungUp, finishReads()]);
    expect(isIdle(running.getState())).to.equal(true);
    expect(shownQuestion()).to.equal('One?');
    expect(library.getState().entries.map(({ title }) => title)).to.deep.equal(['One?']);
  });

  it('report which conversation has a running turn, even while another one is visible or waiting', async () => {
    const { conversations, current, currentId, startReply } = await open();
    const runningIds = () => conversations.getState().runningIds;
    expect(runningIds()).to.deep.equal([]);
    const { sent, response } = await startReply('One?');
    const id = currentId();
    conversations.startNew();
    expect(runningIds()).to.deep.equal([id]);

    const other = current();
    const otherSent = other.send('Two?');
    await until(other, ({ waitsForOtherTab }) => waitsForOtherTab);
    expect(runningIds()).to.deep.equal([id]);

    const next = backend.open();
    response.end('One.');
    await sent;
    await device.clock.advance(1000);
    const nextResponse = await next;
    expect(runningIds()).to.deep.equal([currentId()]);
    nextResponse.end('Two.');
    await otherSent;
    expect(runningIds()).to.deep.equal([]);
  });

  it('leave no data behind after a sign-out, even if a turn is in flight and the page is left afterwards', async () => {
    const { library, conversations, current, startReply } = await openAsked();
    conversations.startNew();
    await device.clock.advance(1000);
    const { sent } = await startReply('Two?', 'Tw');
    current().setDraft('Three?');
    conversations.clear();
    expect(library.getState().entries).to.deep.equal([]);
    deleteUserData('ada', [device.storage, tabStorage]);
    await sent;
    await device.clock.advance(5000);
    conversations.persist();
    conversations.leave();
    expect([...device.storage.items, ...tabStorage.items]).to.deep.equal([]);
    expect(current().getState().turns).to.deep.equal([]);
    expect(current().getState().draft.text).to.equal('');
  });
});
