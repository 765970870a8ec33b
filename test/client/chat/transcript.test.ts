import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createTranscript } from '../../../client/chat/transcript.ts';
import type { Turn } from '../../../client/chat/turn.ts';
import { deviceKeys } from '../../../client/device-storage.ts';
import { createFakeStorage } from './fake-storage.ts';

const turns: Turn[] = Array.from({ length: 5 }, (_, n) => ({
  requestId: `turn-${n}`,
  question: `Question ${n}`,
  reply: `Reply ${n}`,
  ending: { type: 'done' },
}));
const record = { conversationId: 'c123456789012345678901234', draft: 'Not yet sent', turns };
const nothing = { conversationId: undefined, draft: '', turns: [] };

describe('A transcript', () => {
  it('gives back what was saved', () => {
    const storage = createFakeStorage();
    expect(createTranscript(storage, 'key').save(record)).to.equal(true);
    expect(createTranscript(storage, 'key').load()).to.deep.equal(record);
  });

  it('of one person is not another’s, nor the demo’s', () => {
    const storage = createFakeStorage();
    createTranscript(storage, deviceKeys.liveTranscript('ada')).save(record);
    expect(createTranscript(storage, deviceKeys.liveTranscript('grace')).load()).to.deep.equal(nothing);
    expect(createTranscript(storage, deviceKeys.demoTranscript).load()).to.deep.equal(nothing);
  });

  it('is empty after it was cleared', () => {
    const storage = createFakeStorage();
    const transcript = createTranscript(storage, 'key');
    transcript.save(record);
    transcript.clear();
    expect(transcript.load()).to.deep.equal(nothing);
  });

  for (const unreadable of ['', '{', 'null', '{"turns":"none"}']) {
    it(`is empty where the device holds ${JSON.stringify(unreadable)}`, () => {
      const storage = createFakeStorage();
      storage.setItem('key', unreadable);
      expect(createTranscript(storage, 'key').load()).to.deep.equal(nothing);
    });
  }

  it('gives up its oldest turns where the storage is full', () => {
    const storage = createFakeStorage(JSON.stringify({ ...record, turns: turns.slice(3) }).length);
    const transcript = createTranscript(storage, 'key');
    expect(transcript.save(record)).to.equal(false);
    expect(transcript.load()).to.deep.equal({ ...record, turns: turns.slice(3) });
  });

  it('keeps nothing, and says so, where the storage takes nothing', () => {
    const transcript = createTranscript(createFakeStorage(0), 'key');
    expect(transcript.save(record)).to.equal(false);
    expect(transcript.load()).to.deep.equal(nothing);
  });
});
