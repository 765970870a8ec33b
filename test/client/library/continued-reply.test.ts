import { expect } from 'chai';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { joinContinuations, joinReplies } from '../../../client/library/continued-reply.ts';
import { inARow, turn } from '../chat/turns.ts';

const paragraph = 'Most of the lead time is waiting, and most of the waiting is for the moulds.';
const head = '| Step | Cost |\n| --- | ---: |\n';
const table = `${head}| Casting | 5 |\n`;
const indented = table.trimEnd().replace(/^/gm, '  ');

describe('joinReplies', () => {
  for (const [where, reply, continuation, joined] of [
    ['within a word', '3. Thi', 'rd\n4. Fourth', '3. Third\n4. Fourth'],
    ['before a space', 'The next step is', ' pricing.', 'The next step is pricing.'],
    ['after a space', 'The next step is ', 'Pricing.', 'The next step is Pricing.'],
    ['between words that occur earlier', 'Cost of work, cost of', 'work is up', 'Cost of work, cost of work is up'],
    ['after a common word', 'One of a, one of b, one of c or of', 'd', 'One of a, one of b, one of c or of d'],
    ['after half of a word that is another word', 'A man asked the man', 'ager.', 'A man asked the manager.'],
    ['before half of a word that is another word', 'A man asked the wo', 'man.', 'A man asked the woman.'],
    ['within a word that occurs earlier', 'A man of age can manage to man', 'age', 'A man of age can manage to manage'],
    ['after a hyphen', 'We work and you work non-', 'stop', 'We work and you work non-stop'],
    ['before a slash', 'One of a, one of b, one of c or of', '/d', 'One of a, one of b, one of c or of/d'],
    ['within a word after a colon', 'A ratio of 1:sev', 'en', 'A ratio of 1:seven'],
    ['within a name with a dot', 'It runs on Node.J', 'S', 'It runs on Node.JS'],
    ['after a Japanese name', 'See 東京station.', 'Then go.', 'See 東京station. Then go.'],
    ['before a Japanese name', 'It waits.', 'Then 東京.', 'It waits. Then 東京.'],
    ['between sentences', 'It waits.', 'Then it runs.', 'It waits. Then it runs.'],
    ['within a number', 'It takes 1.', '5 days', 'It takes 1.5 days'],
    ['within a number with a decimal comma', 'It takes 1,', '5 days', 'It takes 1,5 days'],
    ['after a comma', 'First,', 'then', 'First, then'],
    ['after the first digit of a line', 'Weeks:\n1', '1 to 14', 'Weeks:\n11 to 14'],
    ['within an address', 'See https://example.', 'Org/a', 'See https://example.Org/a'],
    ['within Japanese text', '費用、待ち時間、費用', '待ち時間が長い', '費用、待ち時間、費用待ち時間が長い'],
    ['within Thai text', 'ต้นทุน การรอ ต้นทุน', 'การรอ', 'ต้นทุน การรอ ต้นทุนการรอ'],
    ['between paragraphs', 'It waits.\n\n', 'Then it runs.', 'It waits.\n\nThen it runs.'],
    ['before the line break', 'It waits.', '\n\nThen it runs.', 'It waits.\n\nThen it runs.'],
    ['before a heading', 'It waits.', '## Next', 'It waits.\n\n## Next'],
    ['between items of a list', '1. One\n2. Two', '3. Three', '1. One\n2. Two\n3. Three'],
    ['after the line break between items', '- One\n', '- Two', '- One\n- Two'],
    ['before a list', 'Steps:', '- One\n- Two', 'Steps:\n\n- One\n- Two'],
    ['between lines of a quotation', '> It waits.', '> Then it runs.', '> It waits.\n> Then it runs.'],
    ['between rows of a table', table.trimEnd(), '| Sanding | 3 |', `${table}| Sanding | 3 |`],
    ['after a row with a space at its end', `${table.trimEnd()} `, '| Sand |', `${table.trimEnd()} \n| Sand |`],
    ['within a row of a table', `${table}| Sand`, 'ing', `${table}| Sanding`],
    ['between cells of a table', `${table}| Sand`, '| 3 |', `${table}| Sand| 3 |`],
    ['before a row without a leading pipe', table, 'Sand | 3 |', `${table}Sand | 3 |`],
    ['after a table', table, 'So it goes.', `${table}\nSo it goes.`],
    ['within code', '```ts\nconst a = ', '5;\n```\nEnd', '```ts\nconst a = 5;\n```\nEnd'],
    ['before the end of code', '```\na\n', '```\nEnd', '```\na\n```\nEnd'],
    ['before the end of code with tildes', '~~~\na\n', '~~~\nEnd', '~~~\na\n~~~\nEnd'],
    ['within code that shows a fence', '```\n```sh\nrm a ', '# All', '```\n```sh\nrm a # All'],
    ['after code', '```\na\n```', 'End', '```\na\n```\n\nEnd'],
    ['after code with a longer fence at its end', '```\na\n````', 'End', '```\na\n````\n\nEnd'],
  ] as const) {
    it(`continues a reply that was cut ${where}`, () => {
      expect(joinReplies(reply, continuation)).to.equal(joined);
    });
  }

  for (const [what, reply, continuation, joined] of [
    ['the last sentence', `One. ${paragraph.slice(0, 60)}`, `${paragraph} Two.`, `One. ${paragraph} Two.`],
    ['the unfinished line', '1. One\n2. Tw', '2. Two\n3. Three', '1. One\n2. Two\n3. Three'],
    ['the first line of a code block', '```ts\na = 5;', '```ts\nb = 6;', '```ts\na = 5;\nb = 6;'],
    ['the start of a code block', '```ts\na();\nb(', '```ts\na();\nb();\n```', '```ts\na();\nb();\n```'],
    ['the unfinished line of code', '```ts\na();\nbet', '```ts\nbeta();', '```ts\na();\nbeta();'],
    ['a fence with a space after its language', '```ts \na();\n', '```ts\nb();', '```ts \na();\nb();'],
    ['the head of a table', table, `${head}| Sand | 3 |\n| Paint | 2 |`, `${table}| Sand | 3 |\n| Paint | 2 |`],
    ['the head of an indented table', `${indented}\n`, `${head}| Sanding | 3 |`, `${indented}\n| Sanding | 3 |`],
    ['the head of a table, indented', table, `${indented}\n`, `${table}  | Casting | 5 |\n`],
    ['a whole table', table, `${table}| Sanding | 3 |`, `${table}| Sanding | 3 |`],
  ] as const) {
    it(`drops ${what} if the continuation repeats it`, () => {
      expect(joinReplies(reply, continuation)).to.equal(joined);
    });
  }

  for (const [what, shown, held] of [
    ['40 characters', 'a'.repeat(40), 'a'.repeat(39)],
    ['a whole line', 'Then\n', 'Then'],
    ['two whole lines if it starts with a table row', '| a |\n| b |\n', `| a |\n${'| b '.repeat(10)}`],
  ] as const) {
    it(`holds back a growing continuation until it has ${what}`, () => {
      expect(joinReplies('It waits.', held, true)).to.equal('It waits.');
      expect(joinReplies('It waits.', shown, true)).to.include(shown);
    });
  }

  it('returns the reply for a blank continuation, and the continuation of a blank reply', () => {
    expect(joinReplies('Week 3', ' \n')).to.equal('Week 3');
    expect(joinReplies(' ', 'Week 3')).to.equal('Week 3');
  });

  it('only appends text to what is already shown, while the continuation grows and at its end', () => {
    const marks = ['Week ', '3', '. ', '\n', '\n\n', '- ', '4. ', '| a | b |\n', '```ts\n', '```'];
    const piece = fc.constantFrom(...marks, paragraph);
    const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(text, text, fc.nat({ max: 200 }), (reply, other, repeated) => {
        const continuation = reply.slice(-repeated) + other;
        let shown = joinReplies(reply, '', true);
        for (let length = 1; length <= continuation.length; length += 1) {
          const next = joinReplies(reply, continuation.slice(0, length), true);
          if (reply.trim() !== '') expect(next.startsWith(shown), next).to.equal(true);
          shown = next;
        }
        if (reply.trim() !== '') expect(joinReplies(reply, continuation).startsWith(shown)).to.equal(true);
      }),
      { numRuns: 300 },
    );
  });

  it('takes less than two seconds for a long reply that repeats one character', () => {
    const text = 'a'.repeat(100_000);
    const start = performance.now();
    joinReplies(text, `${text}b`);
    joinReplies(`${text} b`, 'c');
    joinReplies(`${text} `, 'c');
    joinReplies(`${text}\n${' '.repeat(100_000)}b`, 'c');
    expect(performance.now() - start).to.be.below(2000);
  });
});

describe('joinContinuations', () => {
  const path = inARow(
    turn('Steps?', '1. On', { ending: { type: 'stopped' } }),
    turn('Continue.', 'e\n2.', { ending: { type: 'stopped' }, isContinuation: true }),
    turn('Continue!', ' Two', { isContinuation: true, isImported: true }),
    turn('Then?', 'Three.'),
  );

  it('joins a reply and its continuations into one turn, which ends like the last of them and counts as imported if any of them is imported', () => {
    expect(joinContinuations(path)).to.deep.equal([
      { ...path[0], reply: '1. One\n2. Two', ending: { type: 'done' }, isImported: true },
      path[3],
    ]);
  });

  it('returns the same objects for the same turns', () => {
    const [joined, last] = joinContinuations(path);
    const [again, lastAgain] = joinContinuations([...path]);
    expect(again).to.equal(joined);
    expect(lastAgain).to.equal(last);
  });

  it('shows a growing continuation once its opening is known, and then its latest text', () => {
    const first = turn('Steps?', '1. On', { ending: { type: 'stopped' } });
    const growing = turn('Continue.', '', { parentId: first.id, ending: null, isContinuation: true });
    const shown = ['e', 'e\n2.', 'e\n2. Two'].map((reply) => joinContinuations([first, { ...growing, reply }])[0]);
    expect(shown.map((each) => each?.reply)).to.deep.equal(['1. On', '1. One\n2.', '1. One\n2. Two']);
    expect(shown.map((each) => each?.ending)).to.deep.equal([null, null, null]);
  });
});
