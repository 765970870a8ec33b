import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createTranscript } from '../../../client/chat/transcript.ts';
import type { Turn } from '../../../client/chat/turn.ts';
import { nothingTyped } from '../../../client/chat/typed.ts';
import { createFakeStorage } from '../../../client-package/testing/fake-storage.ts';

const turns: Turn[] = Array.from({ length: 5 }, (_, n) => ({
  requestId: `turn-${n}`,
  question: `Question ${n}`,
  reply: `Reply ${n}`,
  ending: { type: 'done' },
}));
const record = { conversationId: 'c123456789012345678901234', turns };
const typed = { draft: 'Not yet sent', setAside: null, wasRefused: false };
const nothing = { conversationId: undefined, turns: [], isWhole: true, typed: nothingTyped };

describe('A transcript', () => {
  it('gives back what was saved', () => {
    const storage = createFakeStorage();
    const transcript = createTranscript(storage, 'key');
    expect(transcript.saveTurns(record)).to.equal(true);
    transcript.saveTyped(typed);
    expect(createTranscript(storage, 'key').load()).to.deep.equal({ ...record, isWhole: true, typed });
  });

  it('leaves nothing on the device where nothing was said and nothing is typed', () => {
    const storage = createFakeStorage();
    const transcript = createTranscript(storage, 'key');
    transcript.saveTurns(record);
    transcript.saveTyped(typed);
    transcript.saveTurns({ conversationId: undefined, turns: [] });
    transcript.saveTyped(nothingTyped);
    expect([...storage.items]).to.deep.equal([]);
  });

  const turn = { requestId: 'turn-1', question: 'Where?', reply: 'Here.' };
  const unreadableTurns = [null, {}, turn, { ...turn, reply: 1, ending: null }, { ...turn, ending: { type: 'left' } }];
  const unreadableRecords = [
    ...unreadableTurns.map((unreadable) => ({ turns: [unreadable] })),
    { turns: [], conversationId: 1 },
    { turns: [], isShortened: 'no' },
    { turns: [{ ...turn, ending: { type: 'failed', requestId: 'turn-1' } }] },
    { turns: [{ ...turn, ending: { type: 'lost', requestId: 'turn-1', sentence: 'Lost.' } }] },
    { draft: 1, setAside: null, wasRefused: false },
    { draft: '', setAside: 1, wasRefused: false },
    { draft: '', setAside: null },
  ].map((record) => JSON.stringify(record));

  for (const unreadable of ['', '{', 'null', '"', '{"turns":"none"}', ...unreadableRecords]) {
    it(`is empty where the device holds ${JSON.stringify(unreadable)}`, () => {
      const storage = createFakeStorage();
      storage.setItem('key', unreadable);
      storage.setItem('key:typed', unreadable);
      expect(createTranscript(storage, 'key').load()).to.deep.equal(nothing);
    });
  }

  it('gives back how a turn ended, without what only the running page needs', () => {
    const storage = createFakeStorage();
    const endings = [
      null,
      { type: 'stopped' },
      { type: 'interrupted', requestId: 'turn-1' },
      { type: 'left', requestId: 'turn-1' },
      { type: 'failed', requestId: 'turn-1', sentence: 'The model is busy.', status: 503 },
    ] as const;
    const ended = endings.map((ending) => ({ ...turn, ending }));
    createTranscript(storage, 'key').saveTurns({ conversationId: undefined, turns: ended });
    const failed = { type: 'failed', requestId: 'turn-1', sentence: 'The model is busy.' };
    expect(createTranscript(storage, 'key').load().turns).to.deep.equal([
      ...ended.slice(0, -1),
      { ...turn, ending: failed },
    ]);
  });

  it('gives up its oldest turns where the storage is full, and knows it from then on', () => {
    const storage = createFakeStorage(JSON.stringify({ ...record, turns: turns.slice(3), isShortened: true }).length);
    expect(createTranscript(storage, 'key').saveTurns(record)).to.equal(false);
    const reopened = createTranscript(storage, 'key');
    expect(reopened.load()).to.deep.equal({ ...nothing, ...record, turns: turns.slice(3), isWhole: false });
    expect(reopened.saveTurns({ ...record, turns: turns.slice(4) })).to.equal(false);
  });

  it('keeps nothing, and says so, where the storage takes nothing', () => {
    const transcript = createTranscript(createFakeStorage(0), 'key');
    expect(transcript.saveTurns(record)).to.equal(false);
    transcript.saveTyped(typed);
    expect(transcript.load()).to.deep.equal(nothing);
  });
});
