import { getEventListeners } from 'node:events';
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { createMemoryTranscript } from '../../client/chat/transcript.ts';
import { noLock } from '../../client/chat/turn-lock.ts';
import type * as Module from '../../client-package/conversation.ts';
import { fails, replies, startFakeBackend } from '../../client-package/testing/fake-backend.ts';
import { createFakeClock } from '../../client-package/testing/fake-clock.ts';
import { createFakeStorage, type FakeStorage } from '../../client-package/testing/fake-storage.ts';
import { until } from '../../client-package/testing/until.ts';
import { perTest } from '../support/per-suite.ts';

const globalNames = ['document', 'localStorage', 'navigator', 'addEventListener'] as const;

describe('createConversation with persist', () => {
  const backend = perTest(() => startFakeBackend());
  const originals = new Map<string, PropertyDescriptor | undefined>();
  const { warn } = console;
  let storage: FakeStorage;
  let page: EventTarget & { hidden: boolean };
  let window: EventTarget;
  let warnings: string[];
  let createConversation: typeof Module.createConversation;

  const setGlobal = (name: string, descriptor: PropertyDescriptor) =>
    Object.defineProperty(globalThis, name, { configurable: true, ...descriptor });

  let imports = 0;

  beforeEach(async () => {
    for (const name of globalNames) originals.set(name, Object.getOwnPropertyDescriptor(globalThis, name));
    storage = createFakeStorage();
    page = Object.assign(new EventTarget(), { hidden: false });
    window = new EventTarget();
    warnings = [];
    setGlobal('document', { value: page });
    setGlobal('localStorage', { value: storage });
    setGlobal('navigator', { value: { locks: createLocks() } });
    setGlobal('addEventListener', { value: window.addEventListener.bind(window) });
    console.warn = (text: string) => warnings.push(text);
    // The module remembers whether it has warned.
    imports += 1;
    ({ createConversation } = await import(`../../client-package/conversation.ts?import=${imports}`));
  });

  afterEach(() => {
    console.warn = warn;
    for (const [name, descriptor] of originals) {
      if (descriptor) Object.defineProperty(globalThis, name, descriptor);
      else Reflect.deleteProperty(globalThis, name);
    }
  });

  const open = (persist = 'my-chat', options: Partial<Module.ConversationOptions> = {}) =>
    createConversation({ url: backend.url, persist, ...options });
  async function stream({ send }: Pick<Module.Conversation, 'send'>) {
    const opened = backend.open();
    const sent = send('Where do we stand?');
    return { sent, response: await opened };
  }
  const questions = ({ getState }: Pick<Module.Conversation, 'getState'>) =>
    getState().turns.map((turn) => turn.question);

  it('stores the conversation under its key', async () => {
    backend.answer(replies('Week 3.'));
    await open().send('Where do we stand?');
    expect(questions(open())).to.deep.equal(['Where do we stand?']);
    expect([...storage.items.keys()]).to.deep.equal(['my-chat']);
    expect(warnings).to.deep.equal([]);
  });

  for (const [title, type, properties] of [
    ['another tab changes it', 'storage', { key: 'my-chat' }],
    ['the storage is cleared', 'storage', { key: null }],
    ['the page returns from the back/forward cache', 'pageshow', { persisted: true }],
  ] as const) {
    it(`loads what is stored when ${title}`, async () => {
      const conversation = open();
      backend.answer(replies('Week 3.'));
      await open().send('Where do we stand?');
      window.dispatchEvent(Object.assign(new Event('storage'), { key: 'other' }));
      window.dispatchEvent(Object.assign(new Event('pageshow'), { persisted: false }));
      expect(questions(conversation)).to.deep.equal([]);
      window.dispatchEvent(Object.assign(new Event(type), properties));
      expect(questions(conversation)).to.deep.equal(['Where do we stand?']);
    });
  }

  it('stores the draft when the page is hidden, and ends the turn when the page is left', async () => {
    const conversation = open();
    const { sent } = await stream(conversation);
    conversation.setDraft('And then?');
    page.hidden = true;
    page.dispatchEvent(new Event('visibilitychange'));
    expect(open().getState().draft.text).to.equal('And then?');
    window.dispatchEvent(new Event('pagehide'));
    expect((await sent)?.type).to.equal('left');
  });

  it('checks the turn of another tab as soon as the page is shown again', async () => {
    const { sent, response } = await stream(open());
    const conversation = open('my-chat', { clock: createFakeClock() });
    const asked = conversation.send('And then?');
    await until(conversation, ({ waitsForOtherTab }) => waitsForOtherTab);
    backend.answer(replies('Pricing.'));
    response.end('Week 3.');
    await sent;
    page.dispatchEvent(new Event('visibilitychange'));
    expect(await asked).to.deep.equal({ type: 'done' });
  });

  it('ends the turn as `left` if the connection is lost while the page is being left', async () => {
    const { sent, response } = await stream(open());
    window.dispatchEvent(new Event('beforeunload'));
    response.destroy();
    expect((await sent)?.type).to.equal('left');
  });

  it('shares neither the turn nor the cooldown with a conversation under another key', async () => {
    const { sent, response } = await stream(open());
    backend.answer(fails('RATE_LIMITED', { retryAfterSeconds: 600 }));
    const other = open('other-chat');
    expect((await other.send('And there?'))?.type).to.equal('failed');
    response.end('Week 3.');
    expect(await sent).to.deep.equal({ type: 'done' });
    expect(open('other-chat').getState().cooldownUntil).to.be.a('number');
    expect(open().getState().cooldownUntil).to.equal(null);
    expect([...storage.items.keys()]).to.have.members(['my-chat', 'other-chat', 'other-chat:cooldown']);
  });

  it('uses the transcript, the lock and the cooldown of the caller instead of its own', async () => {
    const saved: number[] = [];
    const parts = {
      transcript: createMemoryTranscript(),
      lock: noLock,
      cooldown: { load: () => null, save: (seconds: number) => void saved.push(seconds) },
    };
    const { sent, response } = await stream(open('my-chat', parts));
    backend.answer(fails('RATE_LIMITED', { retryAfterSeconds: 600 }));
    const second = await open('my-chat', { ...parts, transcript: createMemoryTranscript() }).send('And then?');
    expect([second?.type, saved, storage.length]).to.deep.equal(['failed', [600], 0]);
    response.end('Week 3.');
    await sent;
  });

  it('ends the running turn on dispose(), and no longer reacts to events of the page', async () => {
    const conversation = open();
    const { sent } = await stream(conversation);
    conversation.dispose();
    expect((await sent)?.type).to.equal('left');
    for (const target of [window, page])
      for (const type of ['beforeunload', 'pagehide', 'pageshow', 'storage', 'visibilitychange'])
        expect(getEventListeners(target, type), type).to.have.length(0);
    storage.items.clear();
    backend.answer(replies('Week 3.'));
    await open().send('Where do we stand?');
    window.dispatchEvent(Object.assign(new Event('storage'), { key: 'my-chat' }));
    expect(questions(conversation)).to.deep.equal(['Where do we stand?']);
  });

  const denied = () => {
    throw new DOMException('Denied.', 'SecurityError');
  };
  for (const [title, missing, globals] of [
    ['navigator.locks', ['navigator.locks'], { navigator: { value: {} } }],
    ['a storage that the user has denied', ['localStorage'], { localStorage: { get: denied } }],
    ['both', ['localStorage', 'navigator.locks'], { navigator: { value: {} }, localStorage: { value: undefined } }],
  ] as const) {
    it(`runs without ${title}, and warns once in the console about what is missing`, async () => {
      for (const [name, descriptor] of Object.entries(globals)) setGlobal(name, descriptor);
      backend.answer(replies('Week 3.'));
      const conversation = open();
      open();
      expect(await conversation.send('Where do we stand?')).to.deep.equal({ type: 'done' });
      expect(warnings).to.have.length(1);
      for (const name of ['localStorage', 'navigator.locks']) {
        expect(warnings[0]?.includes(`no ${name} `), name).to.equal(missing.some((each) => each === name));
      }
    });
  }

  it('keeps the conversation in memory outside a page, without a warning', async () => {
    setGlobal('document', { value: undefined });
    backend.answer(replies('Week 3.'));
    await open().send('Where do we stand?');
    expect([questions(open()), warnings, storage.length]).to.deep.equal([[], [], 0]);
  });

  it('has a server state without turns that is always the same object', async () => {
    backend.answer(replies('Week 3.'));
    const conversation = open();
    const before = conversation.getServerState();
    await conversation.send('Where do we stand?');
    expect(before.turns).to.deep.equal([]);
    expect(conversation.getServerState()).to.equal(before);
  });
});

function createLocks() {
  const held = new Set<string>();
  return {
    async request(name: string, _options: object, whenGranted: (lock: object | null) => unknown) {
      if (held.has(name)) return whenGranted(null);
      held.add(name);
      await whenGranted({});
      held.delete(name);
    },
    query: async () => ({ held: [...held].map((name) => ({ name })) }),
  };
}
