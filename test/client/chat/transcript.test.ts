import { expect } from 'chai';
import { describe, it } from 'mocha';
import { emptyDraft } from '../../../client/chat/draft.ts';
import { createTranscript, emptyTranscript } from '../../../client/chat/transcript.ts';
import { createFakeStorage } from '../../../client-package/testing/fake-storage.ts';
import { perTest } from '../../support/per-suite.ts';
import { inARow, turn } from './turns.ts';

const turns = inARow(...Array.from({ length: 5 }, (_, n) => turn(`Question ${n}`)));
const record = { conversationId: 'c1', turns, shownId: 'Question 4', earlierShownIds: ['Question 3'] };
const draft = { ...emptyDraft, text: 'Not yet sent' };

describe('createTranscript', () => {
  const storage = perTest(() => createFakeStorage());
  const transcript = perTest(() => createTranscript(storage, 'key'));
  const load = () => createTranscript(storage, 'key').load();

  it('loads the saved turns and draft', () => {
    const continued = { ...turn('Question 5'), isContinuation: true } as const;
    const saved = { ...record, turns: [...turns, continued, { ...turn('Question 6'), isImported: true } as const] };
    transcript.saveTurns(saved);
    transcript.saveDraft(draft);
    expect(load()).to.deep.equal({ ...saved, draft });
    // Earlier releases have stored conversations under these keys.
    expect([...storage.items.keys()]).to.deep.equal(['key', 'key:typed']);
  });

  for (const [what, unsent] of [
    ['only a text that is set aside during an edit', { setAside: 'So?', editedId: 'Where?' }],
    ['only queued questions', { queued: ['So?'] }],
  ] as const) {
    it(`loads a saved draft that has ${what}`, () => {
      transcript.saveDraft({ ...emptyDraft, ...unsent });
      expect(load().draft).to.deep.equal({ ...emptyDraft, ...unsent });
    });
  }

  it('stores nothing for a conversation with neither turns nor a draft', () => {
    transcript.saveTurns(record);
    transcript.saveDraft(draft);
    transcript.saveTurns({ conversationId: undefined, turns: [], shownId: null });
    transcript.saveDraft(emptyDraft);
    expect([...storage.items]).to.deep.equal([]);
  });

  const part = { id: 'turn-1', parentId: null, requestId: 'turn-1', question: 'Where?', reply: 'Here.', askedAt: null };
  const unreadableTurns = [
    null,
    {},
    part,
    { ...part, reply: 1, ending: null },
    { ...part, ending: { type: 'left' } },
    { ...part, ending: { type: 'failed', requestId: 'turn-1', status: 500 } },
    { ...part, ending: { type: 'failed', requestId: 'turn-1', sentence: 'Lost.' } },
    { ...part, ending: { type: 'lost', requestId: 'turn-1', sentence: 'Lost.', status: 500 } },
    { ...part, ending: null, id: 1 },
    { ...part, ending: null, requestId: 1 },
    { ...part, ending: null, question: 1 },
    { ...part, ending: null, parentId: 1 },
    { ...part, ending: null, askedAt: 'today' },
  ];
  const unreadableRecords = [
    ...unreadableTurns.map((unreadable) => ({ turns: [unreadable], shownId: null })),
    { turns: [], shownId: null, conversationId: 1 },
    { turns: [], shownId: 1 },
    { turns: [], shownId: null, earlierShownIds: [1] },
    { ...draft, text: 1 },
    { ...draft, setAside: 1 },
    { ...draft, wasRefused: undefined },
    { ...draft, editedId: 1 },
    { ...draft, queued: [1] },
  ].map((record) => JSON.stringify(record));

  for (const unreadable of ['', '{', 'null', '"', '{"turns":"none"}', ...unreadableRecords]) {
    it(`loads an empty conversation from ${JSON.stringify(unreadable)}`, () => {
      storage.setItem('key', unreadable);
      storage.setItem('key:typed', unreadable);
      expect(load()).to.deep.equal(emptyTranscript);
    });
  }

  it('loads every type of ending, and failures without a known code', () => {
    const failed = { type: 'failed', requestId: 'turn-1', sentence: 'The model is busy.', status: 503 } as const;
    const endings = [
      null,
      { type: 'stopped' },
      { type: 'interrupted', requestId: 'turn-1' },
      { type: 'left', requestId: 'turn-1' },
      { ...failed, code: 'UPSTREAM_OVERLOADED' },
      { ...failed, code: undefined },
    ] as const;
    const ended = endings.map((ending, n) => turn(`Question ${n}`, 'Week', { ending }));
    const text = JSON.stringify({ turns: ended, shownId: null });
    storage.setItem('key', text);
    const loaded = { ...emptyTranscript, turns: ended, earlierShownIds: [] };
    expect(load()).to.deep.equal(loaded);
    storage.setItem('key', text.replace('UPSTREAM_OVERLOADED', 'CODE_OF_A_LATER_RELEASE'));
    expect(load().turns[4]?.ending).to.deep.equal({ ...failed, code: undefined });
  });

  it('keeps the stored record if the storage is full', () => {
    const first = { ...record, turns: turns.slice(0, 1), shownId: 'Question 0' };
    const storage = createFakeStorage(JSON.stringify(first).length + 10);
    const transcript = createTranscript(storage, 'key');
    transcript.saveTurns(first);
    transcript.saveTurns(record);
    transcript.saveDraft(draft);
    expect(createTranscript(storage, 'key').load()).to.deep.equal({ ...emptyTranscript, ...first });
  });
});
