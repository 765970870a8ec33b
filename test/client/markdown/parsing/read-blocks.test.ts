import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { Block, Inline } from '../../../../client/markdown/parsing/nodes.ts';
import { readBlocks } from '../../../../client/markdown/parsing/read-blocks.ts';
import { processorMilliseconds } from '../../../support/processor-time.ts';

const text = (content: string): Inline => ({ type: 'text', text: content });
const paragraph = (start: number, ...children: Inline[]): Block => ({ start, type: 'paragraph', children });

describe('readBlocks', () => {
  it('reads headings, paragraphs, code and rules with their offsets', () => {
    expect(readBlocks('## A *b*\n\nOne\ntwo\n\n```TS title\nx\n\ny\n```\n\n---\n')).to.deep.equal([
      { start: 0, type: 'heading', level: 2, children: [text('A '), { type: 'emphasis', children: [text('b')] }] },
      paragraph(10, text('One'), { type: 'break' }, text('two')),
      { start: 19, type: 'code', language: 'ts', text: 'x\n\ny' },
      { start: 41, type: 'rule' },
    ]);
  });

  it('reads lists, nested lists and tasks', () => {
    expect(readBlocks('3. a\n   - [X] b\n   - [ ] c\n4. d')).to.deep.equal([
      {
        start: 0,
        type: 'list',
        isOrdered: true,
        items: [
          {
            start: 0,
            number: 3,
            isChecked: null,
            blocks: [
              paragraph(0, text('a')),
              {
                start: 5,
                type: 'list',
                isOrdered: false,
                items: [
                  { start: 5, number: null, isChecked: true, blocks: [paragraph(5, text('b'))] },
                  { start: 16, number: null, isChecked: false, blocks: [paragraph(16, text('c'))] },
                ],
              },
            ],
          },
          { start: 27, number: 4, isChecked: null, blocks: [paragraph(27, text('d'))] },
        ],
      },
    ]);
  });

  for (const [title, written, equivalent] of [
    ['a list', '1. a\n  1. b\n    - c\n2. d', '1. a\n   1. b\n      - c\n2. d'],
    ['a list under a long number', '10. a\n  - b\n    - c', '10. a\n    - b\n      - c'],
    ['code', '1. a\n  ```\n  b\n    c\n  ```\n2. d', '1. a\n   ```\n   b\n     c\n   ```\n2. d'],
    ['a paragraph', '1. a\n\n  b\n2. c', '1. a\n\n   b\n2. c'],
    ['a list in a quotation', '> 1. a\n>   - b', '> 1. a\n>    - b'],
  ] as const) {
    it(`reads ${title} that is indented by two spaces as part of the numbered item above`, () => {
      const withoutOffsets = (text: string) => JSON.stringify(readBlocks(text)).replace(/"start":\d+/g, '');
      expect(withoutOffsets(written)).to.equal(withoutOffsets(equivalent));
    });
  }

  for (const [what, written] of [
    ['500 nested quotations', `${'>'.repeat(500)} the end`],
    ['300 nested items', Array.from({ length: 300 }, (_, depth) => `${'  '.repeat(depth)}- level ${depth}`).join('\n')],
  ] as const) {
    it(`reads all text in ${what}`, () => {
      const shown = JSON.stringify(readBlocks(written));
      for (const [word] of written.matchAll(/level \d+|the end/g)) expect(shown).to.include(word);
    });
  }

  it('reads formulas in a paragraph, and those between double dollar signs as display formulas', () => {
    const formula = (source: string, isDisplay: boolean) =>
      ({ type: 'formula', tex: 'x^2', source, isDisplay }) as const;
    expect(readBlocks('a $x^2$ b $$x^2$$ c')).to.deep.equal([
      paragraph(0, text('a '), formula('$x^2$', false), text(' b '), formula('$$x^2$$', true), text(' c')),
    ]);
  });

  it('reads tables and adds missing cells', () => {
    expect(readBlocks('| a | b |\n|:-:|---|\n| 1 |')).to.deep.equal([
      {
        start: 0,
        type: 'table',
        head: [
          { alignment: 'center', children: [text('a')] },
          { alignment: undefined, children: [text('b')] },
        ],
        rows: [
          {
            start: 20,
            cells: [
              { alignment: 'center', children: [text('1')] },
              { alignment: undefined, children: [] },
            ],
          },
        ],
      },
    ]);
  });

  for (const html of ['<br>', '<br/>', '<br />', '<BR>', ' <br> ', '<br>\n', '  <br>\n  ']) {
    it(`reads ${JSON.stringify(html)} as one line break`, () => {
      expect(readBlocks(`a${html}b`)).to.deep.equal([paragraph(0, text('a'), { type: 'break' }, text('b'))]);
    });
  }

  it('reads “<br>” in tables, headings and emphasis, and after URLs', () => {
    const [table] = readBlocks('| a<br>b |\n|-|\n| **c<br>d** |');
    expect(table?.type === 'table' && [table.head, table.rows[0]?.cells]).to.deep.equal([
      [{ alignment: undefined, children: [text('a'), { type: 'break' }, text('b')] }],
      [
        {
          alignment: undefined,
          children: [{ type: 'strong', children: [text('c'), { type: 'break' }, text('d')] }],
        },
      ],
    ]);
    expect(readBlocks('# a<br>b')).to.deep.equal([
      { start: 0, type: 'heading', level: 1, children: [text('a'), { type: 'break' }, text('b')] },
    ]);
    const [addressed] = readBlocks('http://a.example/<br>b');
    expect(addressed).to.have.nested.property('children[0].href', 'http://a.example/');
    expect(addressed).to.have.nested.property('children[1].type', 'break');
  });

  for (const written of ['`a<br>b`', '```\na<br>b\n```', '\\<br>', '&lt;br&gt;', '<br class="a">', '<brr>', '</br>']) {
    it(`reads no line break in ${JSON.stringify(written)}`, () => {
      expect(JSON.stringify(readBlocks(written)))
        .to.match(/<\/?br/)
        .and.not.include('"break"');
    });
  }

  for (const [title, written, code] of [
    ['a fence with a language', '```markdown\n# A\n```js\nb\n```\nc\n```', '# A\n```js\nb\n```\nc'],
    ['two fences with a language', '```md\n```js\na\n```\n```ts\nb\n```\n```', '```js\na\n```\n```ts\nb\n```'],
    ['Markdown with a fence', '```md\n```md\n```js\n```\n```\n```', '```md\n```js\n```\n```'],
    ['a fence whose marks differ', '~~~md\n```js\na\n~~~', '```js\na'],
    ['a shorter fence', '````md\n```js\na\n````', '```js\na'],
    ['a longer fence', '```md\n````js\n```\n````\n```', '````js\n```\n````'],
    ['a fence without a language', '```md\na\n```', 'a'],
  ] as const) {
    it(`reads ${title} within a code block of Markdown`, () => {
      const [block, after] = readBlocks(`${written}\nThe end`);
      expect(block).to.have.property('text', code);
      expect(after).to.have.property('type', 'paragraph');
    });
  }

  it('nests no fences in code blocks of other languages', () => {
    expect(readBlocks('```js\n```ts\na\n```\nb').map(({ type }) => type)).to.deep.equal(['code', 'paragraph']);
  });

  it('reads the marker of a callout, either on a line of its own or before text', () => {
    const quote = (callout: string | undefined, ...blocks: Block[]) => ({ start: 0, type: 'quote', callout, blocks });
    expect(readBlocks('> [!NOTE]\n> a')).to.deep.equal([quote('note', paragraph(0, text('a')))]);
    expect(readBlocks('> [!warning] *a*')).to.deep.equal([
      quote('warning', paragraph(0, { type: 'emphasis', children: [text('a')] })),
    ]);
    expect(readBlocks('> [!TIP]\n>\n> a')).to.deep.equal([quote('tip', paragraph(11, text('a')))]);
    expect(readBlocks('> [!NOTES] a')).to.deep.equal([quote(undefined, paragraph(0, text('[!NOTES] a')))]);
    expect(readBlocks('[!NOTE] a')).to.deep.equal([paragraph(0, text('[!NOTE] a'))]);
  });

  it('takes linear time for pathological texts', () => {
    const formulas = ['\\(', '\\[', '$$', '$', '$a', '\\(\\[', '$$ ', '\\(a\\\\'];
    for (const unit of ['>', '[', '_a_', '**a ', '- ', ...formulas]) {
      const milliseconds = processorMilliseconds(() => {
        readBlocks(unit.repeat(20_000));
        readBlocks(`${unit}\n`.repeat(5000));
      });
      expect(milliseconds, unit).to.be.lessThan(2000);
    }
  });
});
