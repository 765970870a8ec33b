import 'fake-indexeddb/auto';
import { expect } from 'chai';
import { deleteDB, openDB } from 'idb';
import { describe, it } from 'mocha';
import { emptyDraft } from '../../../client/chat/draft.ts';
import { createTranscript } from '../../../client/chat/transcript.ts';
import { openConversationDatabase } from '../../../client/device/conversation-database.ts';
import { deleteLegacyDemoData, deviceKeys, toByteUnit } from '../../../client/device/device-storage.ts';
import { createFakeStorage } from '../../../client-package/testing/fake-storage.ts';
import { record, turn } from '../chat/turns.ts';

describe('toByteUnit', () => {
  for (const [bytes, formatted] of [
    [0, '0 kB'],
    [98_304, '98.3 kB'],
    [999_499, '999 kB'],
    [999_500, '1 MB'],
    [10_737_418, '10.7 MB'],
    [10_737_418_240, '10.7 GB'],
  ] as const) {
    it(`returns ${formatted} for ${bytes} bytes`, () => {
      const { value, unit } = toByteUnit(bytes);
      expect(value.toLocaleString('en', { style: 'unit', unit, maximumSignificantDigits: 3 })).to.equal(formatted);
    });
  }
});

describe('deleteLegacyDemoData', () => {
  it('deletes what earlier releases stored for the demo and keeps the data of this release', async () => {
    (await openConversationDatabase(deviceKeys.demo)).close();
    const storage = createFakeStorage();
    const transcript = createTranscript(storage, deviceKeys.demo);
    transcript.saveTurns(record(turn('Where do we stand?')));
    transcript.saveDraft({ ...emptyDraft, text: 'And then?' });
    storage.setItem(deviceKeys.demoBlockedUntil, '1000');
    const expected = [...storage.items];
    storage.setItem('advisory-chat:demo:conversation:demo:typed', '{}');
    storage.setItem('advisory-chat:demo:put-away', '{}');

    deleteLegacyDemoData(storage);
    expect([...storage.items]).to.deep.equal(expected);
    const reopened = await openDB(deviceKeys.demo);
    expect([...reopened.objectStoreNames]).to.deep.equal([]);
    reopened.close();
    await deleteDB(deviceKeys.demo);
  });
});
