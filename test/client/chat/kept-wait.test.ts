import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { createConversation } from '../../../client/chat/conversation.ts';
import { createKeptWait, type KeptWait } from '../../../client/chat/kept-wait.ts';
import { fails, startFakeBackend } from '../../../client-package/testing/fake-backend.ts';
import { createFakeClock, type FakeClock } from '../../../client-package/testing/fake-clock.ts';
import { createFakeStorage, type FakeStorage } from '../../../client-package/testing/fake-storage.ts';

const minute = 60_000;
const hour = 60 * minute;

describe('a wait that the device keeps', () => {
  let clock: FakeClock;
  let storage: FakeStorage;
  let keptWait: KeptWait;

  beforeEach(() => {
    clock = createFakeClock();
    storage = createFakeStorage();
    keptWait = createKeptWait(storage, 'blocked', clock);
  });

  it('is there until it is over, and then leaves nothing behind', async () => {
    expect(keptWait.load()).to.equal(null);
    const until = clock.now() + hour;
    keptWait.save(until);
    await clock.advance(hour - 1);
    expect(keptWait.load()).to.equal(until);
    await clock.advance(1);
    expect(keptWait.load()).to.equal(null);
    expect(storage.items.size).to.equal(0);
  });

  it('is none where it is longer than any limit of the service, or no time at all', () => {
    keptWait.save(clock.now() + 26 * hour);
    expect(keptWait.load()).to.equal(null);
    for (const value of ['', 'soon', 'NaN', 'Infinity', '{}']) {
      storage.setItem('blocked', value);
      expect(keptWait.load(), value).to.equal(null);
    }
  });

  it('is forgotten by a device that is full, and holds in the conversation all the same', async () => {
    const backend = await startFakeBackend();
    try {
      const forgotten = createKeptWait(createFakeStorage(0), 'blocked', clock);
      const conversation = createConversation({ url: backend.url, clock, keptWait: forgotten });
      backend.answer(fails('RATE_LIMITED', { retryAfterSeconds: 3600 }));
      await conversation.send('One too many?');
      expect(conversation.getState().blockedUntil).to.equal(clock.now() + hour);
      expect(forgotten.load()).to.equal(null);
    } finally {
      await backend.close();
    }
  });

  it('holds for a conversation that is opened again, and not a second longer', async () => {
    const backend = await startFakeBackend();
    try {
      const open = () => createConversation({ url: backend.url, clock, keptWait });
      backend.answer(fails('RATE_LIMITED', { retryAfterSeconds: 120 }));
      const until = clock.now() + 2 * minute;
      await open().send('One too many?');

      const reopened = open();
      expect(reopened.getState().blockedUntil).to.equal(until);
      expect(await reopened.send('And now?')).to.equal(null);
      await clock.advance(2 * minute);
      expect(reopened.getState().blockedUntil).to.equal(null);
      expect(open().getState().blockedUntil).to.equal(null);
      expect(backend.requests).to.have.length(1);
    } finally {
      await backend.close();
    }
  });
});
