import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { createConversation } from '../../../client/chat/conversation.ts';
import { createKeptPutAway } from '../../../client/chat/kept-put-away.ts';
import { createTranscript } from '../../../client/chat/transcript.ts';
import { createFakeClock } from '../../../client-package/testing/fake-clock.ts';
import { createFakeStorage, type FakeStorage } from '../../../client-package/testing/fake-storage.ts';
import { record, turn } from './turns.ts';

const key = 'advisory-chat:test:put-away';
const asked = record(turn('Where do we stand?'), turn('And then?'));

describe('What a new conversation has put away', () => {
  let storage: FakeStorage;

  beforeEach(() => {
    storage = createFakeStorage();
  });

  it('is kept over a reload, until it is forgotten', () => {
    createKeptPutAway(storage, key).save(asked);
    const reloaded = createKeptPutAway(storage, key);
    expect(reloaded.load()).to.deep.equal(asked);
    reloaded.forget();
    expect(reloaded.load()).to.equal(undefined);
    expect(storage.items.size).to.equal(0);
  });

  it('is nothing where it cannot be read', () => {
    for (const value of ['', '{', 'null', '[]', '{"turns":[]}', '{"turns":[{"question":1}]}', '{"turns":"all"}']) {
      storage.setItem(key, value);
      expect(createKeptPutAway(storage, key).load(), value).to.equal(undefined);
    }
  });

  it('lasts as long as the page where the device is full, and leaves nothing older in its place', () => {
    const full = createFakeStorage(JSON.stringify(asked).length);
    const putAway = createKeptPutAway(full, key);
    putAway.save(asked);
    const more = record(turn('Where do we stand?', 'x'.repeat(10_000)));
    putAway.save(more);
    expect(putAway.load()).to.deep.equal(more);
    expect(createKeptPutAway(full, key).load()).to.equal(undefined);
  });

  it('leaves room on the device for what is typed, however long it is', () => {
    const long = record(turn('Where do we stand?', 'x'.repeat(1_000_000)));
    const putAway = createKeptPutAway(storage, key);
    putAway.save(long);
    expect(putAway.load()).to.deep.equal(long);
    expect(storage.items.size).to.equal(0);
  });

  describe('in a conversation', () => {
    const clock = createFakeClock();

    /** The same device after a reload of the page, or in another tab. */
    const open = (url = 'https://chat.example.com/api/chat') =>
      createConversation({
        url,
        fetch,
        clock,
        transcript: createTranscript(storage, 'advisory-chat:test'),
        putAway: createKeptPutAway(storage, key),
      });

    beforeEach(() => createTranscript(storage, 'advisory-chat:test').saveTurns(asked));

    it('is gone from the device once the conversation is to leave no trace', () => {
      const conversation = open();
      conversation.startOver();
      conversation.clear();
      expect([...storage.items]).to.deep.equal([]);
      expect(conversation.getState().canUndoStartOver).to.equal(false);
    });

    it('can be brought back in another tab, once: then neither tab offers it', () => {
      const [one, other] = [open(), open()];
      one.startOver();
      other.takeIn();
      expect(other.getState().canUndoStartOver).to.equal(true);
      other.undoStartOver();
      one.takeIn();
      expect(one.getState().canUndoStartOver).to.equal(false);
      expect(one.getState().turns).to.have.length(2);
    });

    it('is still in the tab that has put it away where another tab has cleared the device', () => {
      const [one, other] = [open(), open()];
      one.startOver();
      other.clear();
      one.takeIn();
      one.undoStartOver();
      expect(one.getState().turns).to.have.length(2);
    });
  });
});
