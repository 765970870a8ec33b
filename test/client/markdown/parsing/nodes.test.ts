import { expect } from 'chai';
import { describe, it } from 'mocha';
import { readBlocks } from '../../../../client/markdown/parsing/nodes.ts';

describe('readBlocks', () => {
  it('returns the offset of each block, item and row in the reply', () => {
    const written =
      '## A\n\nOne\ntwo\n\n```ts\nx\n```\r\n---\n3. a\n   - [X] b\n4. c\n\n| d |\n|-|\n| e |\n\n> f\n\n$$g$$';
    const starts = new Set<number>();
    JSON.stringify(readBlocks(written, { start: 7 }), (key, value) => {
      if (key === 'start') starts.add(value - 7);
      return value;
    });
    expect(Array.from(starts, (start) => written.slice(start).split(/\r?\n/)[0])).to.deep.equal([
      ...['## A', 'One', '```ts', '---', '3. a', '   - [X] b', '4. c'],
      ...['| d |', '| e |', '> f', '$$g$$'],
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

  for (const [title, written, code] of [
    ['a fence with a language', '```markdown\n# A\n```js\nb\n```\nc\n```', '# A\n```js\nb\n```\nc'],
    ['two fences with a language', '```md\n```js\na\n```\n```ts\nb\n```\n```', '```js\na\n```\n```ts\nb\n```'],
    ['Markdown with a fence', '```md\n```md\n```js\n```\n```\n```', '```md\n```js\n```\n```'],
    ['a fence whose marks differ', '~~~md\n```js\na\n~~~', '```js\na'],
    ['a shorter fence', '````md\n```js\na\n````', '```js\na'],
    ['a longer fence', '```md\n````js\n```\n````\n```', '````js\n```\n````'],
    ['a fence without a language', '```md\na\n```', 'a'],
    ['no fence in code of another language', '```js\n```ts\na\n```', '```ts\na'],
  ] as const) {
    it(`reads ${title} within a code block of Markdown`, () => {
      const [block, after] = readBlocks(`${written}\nThe end`);
      expect(block).to.have.property('text', code);
      expect(after).to.have.property('type', 'paragraph');
    });
  }
});
