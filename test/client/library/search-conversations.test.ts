import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import type { Turn } from '../../../client/chat/turn.ts';
import { noChanges } from '../../../client/device/conversation-database.ts';
import { passageAround, withoutMarkdown } from '../../../client/library/search-conversations.ts';
import { perTest } from '../../support/per-suite.ts';
import { inARow, record, turn } from '../chat/turns.ts';
import { createFakeDevice } from './library-harness.ts';

describe('searchConversations', () => {
  const device = perTest(() => createFakeDevice());
  const library = perTest(() => device.openLoaded());
  beforeEach(async () => {
    library.create('one').saveTurns(record(turn('Where do we stand?', 'In week 3.')));
    await device.clock.advance(1000);
    library.create('two').saveTurns(record(turn('Prices'), turn('And suppliers?', 'Two of them, in Köln.')));
    library.rename('two', 'Market');
    await device.clock.advance(0);
  });

  async function save(id: string, turns: readonly Turn[], shownId = turns.at(-1)?.id ?? null) {
    library.create(id).saveTurns({ conversationId: undefined, turns: [...turns], shownId });
    await device.clock.advance(0);
  }

  const found = async (words: string) => (await library.search(words)).map(({ entry }) => entry.id);

  it('finds conversations by name, title, question and reply, ignoring case and accents, latest first', async () => {
    expect(await found('WEEK 3')).to.deep.equal(['two', 'one']);
    for (const words of ['in week', 'stand']) expect(await found(words), words).to.deep.equal(['one']);
    for (const words of ['market', 'prices', 'SUPPLIERS', ' two of ', 'koln', 'KÖLN', 'ko\u0308ln']) {
      expect(await found(words), words).to.deep.equal(['two']);
    }
    for (const words of ['lead time', '', ' ']) expect(await found(words), words).to.deep.equal([]);
    library.remove('one');
    expect(await found('stand'), 'deleted').to.deep.equal([]);
  });

  it('returns the first match with its surrounding text, and no passage if only the name matches', async () => {
    const turn = { turnId: 'And suppliers?', versionId: 'And suppliers?' };
    const passage = { before: 'Two of them, in ', match: 'Köln', after: '.', ...turn };
    expect((await library.search('koln'))[0]?.passage).to.deep.equal(passage);
    expect((await library.search('market'))[0]?.passage).to.equal(null);
  });

  it('prefers a match in a shown turn to one in another version', async () => {
    await save('three', [turn('A', 'The word is here.'), turn('B', 'And the word is here.')]);
    expect((await library.search('the word'))[0]?.passage?.turnId).to.equal('B');
  });

  it('ignores the hidden question of a continuation', async () => {
    await save('four', [turn('Continue exactly.', 'And so on.', { isContinuation: true })]);
    expect((await library.search('exactly')).map(({ passage }) => passage)).to.deep.equal([null]);
  });

  it('finds text that spans a cut reply and its continuation, even in another version', async () => {
    const half = turn('Steps?', 'The third step is pri', { ending: { type: 'stopped' } });
    const rest = turn('Continue.', 'cing.', { id: 'rest', parentId: 'Steps?', isContinuation: true });
    const other = turn('Steps?', 'None.', { id: 'other' });
    const passageOf = async (shownId: string) => {
      await save('five', [half, rest, other], shownId);
      return (await library.search('step is pricing'))[0]?.passage;
    };
    expect(await passageOf('rest')).to.include({ turnId: 'Steps?', versionId: 'Steps?' });
    expect(await passageOf('other')).to.include({ turnId: 'Steps?', versionId: 'rest' });
  });

  describe('in conversations that are not open', () => {
    const passageOf = async (words: string) => {
      const otherTab = await device.openLoaded();
      return (await otherTab.search(words)).map(({ entry, passage }) => [entry.id, passage?.turnId]);
    };

    it('finds the first match in each conversation, latest conversation first', async () => {
      expect(await passageOf('week 3')).to.deep.equal([
        ['two', 'Prices'],
        ['one', 'Where do we stand?'],
      ]);
      expect(await passageOf('koln')).to.deep.equal([['two', 'And suppliers?']]);
      await save('three', inARow(turn('Area?', 'Zone 4.'), turn('Really?', 'Yes, zone 4.')));
      expect(await passageOf('zone 4')).to.deep.equal([['three', 'Area?']]);
    });

    it('finds text that spans a cut reply and its continuation in a conversation of many turns', async () => {
      const earlier = Array.from({ length: 45 }, (_, n) => turn(`Question ${n}?`));
      const cut = turn('Steps?', 'The third step is pri', { ending: { type: 'stopped' } });
      const rest = turn('Continue.', 'cing.', { id: 'A rest', isContinuation: true });
      await save('long', inARow(...earlier, cut, rest));
      expect(await passageOf('step is pricing')).to.deep.equal([['long', 'Steps?']]);
    });
  });

  it('finds unsaved text exactly once, in a stored and in a new conversation', async () => {
    device.database.write = async () => {
      throw new DOMException('', 'UnknownError');
    };
    const transcript = await library.open('one');
    transcript?.saveTurns(record(turn('Where do we stand?', 'In week 4, which nothing has stored.')));
    library.create('three').saveTurns(record(turn('What else has nothing stored?')));
    for (const id of ['one', 'three']) library.release(id);
    await device.clock.advance(0);
    expect((await found('nothing')).sort()).to.deep.equal(['one', 'three']);
    expect(await found('in week 3')).to.deep.equal([]);
  });

  it('rejects when its signal aborts', async () => {
    const controller = new AbortController();
    const searched = library.search('stand', controller.signal).catch((error: Error) => error.name);
    controller.abort();
    expect(await searched).to.equal('AbortError');
  });

  it('reads many conversations in batches', async () => {
    const text = 'x'.repeat(5000);
    const turns = Array.from({ length: 300 }, (_, n) => {
      return { conversation: `c${n}`, id: 'a', order: 0, turn: turn('a', text) };
    });
    await device.database.write({ ...noChanges, turns });
    const counts: number[] = [];
    const { readTurnsAfter } = device.database;
    device.database.readTurnsAfter = (after, count) => {
      counts.push(count);
      return readTurnsAfter(after, count);
    };
    await library.search('stand');
    expect(Math.max(...counts) * text.length).to.be.at.most(500_000);
  });
});

describe('passageAround', () => {
  const around = (text: string, words: string) => {
    const start = text.indexOf(words);
    return passageAround(text, { start, end: start + words.length });
  };

  it('returns about forty characters before and eighty after the match, cut between words, on one line', () => {
    const before = 'These are many words that stand before the one that matters and\n';
    const after = ' comes with so many others after it that they cannot all be shown to the person who looks for it';
    expect(around(`${before}THIS${after}`, 'THIS')).to.deep.equal({
      before: '…stand before the one that matters and ',
      match: 'THIS',
      after: ' comes with so many others after it that they cannot all be shown to the person…',
    });
  });

  it('includes the end of a long word before the match', () => {
    expect(around(`${'x'.repeat(60)} THIS`, 'THIS').before).to.equal(`…${'x'.repeat(39)} `);
  });

  it('cuts a long word without splitting a character', () => {
    const { before, after } = around(`${'😀'.repeat(60)}THIS${'😀'.repeat(60)}`, 'THIS');
    for (const text of [before, after]) {
      expect(text.isWellFormed()).to.equal(true);
      expect(text.length).to.be.at.most(81);
    }
  });
});

describe('withoutMarkdown', () => {
  for (const [written, read] of [
    ['## Where we **stand**', 'Where we stand'],
    ['The **time** is `12 days`, *most of it* ~~idle~~ waiting.', 'The time is 12 days, most of it idle waiting.'],
    ['See [the report](https://example.com/a_b "Title") and ![a plan](p.png).', 'See the report and a plan.'],
    ['- One\n- [x] Two\n  1. Three\n> > Four', 'One\nTwo\nThree\nFour'],
    ['| Week | Cost |\n| :--- | ---: |\n| 1 | 20 |', '  Week   Cost  \n\n  1   20  '],
    ['```ts\nconst week_one = 2 * 3 * 4;\n```', '\nconst week_one = 2 * 3 * 4;\n'],
    ['$$\nW = \\frac{L}{\\lambda} = 7\n$$\nSo $L = \\lambda W$.', '\nW = L/lambda = 7\n\nSo L = lambda W.'],
    ['It costs $5 or $6, and \\(a_{1}\\) more.', 'It costs $5 or $6, and a_1 more.'],
    ['2 * 3 and a_name_of_it, 5 > 4 | 3 # 1', '2 * 3 and a_name_of_it, 5 > 4 | 3 # 1'],
  ] as const) {
    it(`returns ${JSON.stringify(read)} for ${JSON.stringify(written)}`, () => {
      expect(withoutMarkdown(written)).to.equal(read);
    });
  }
});
