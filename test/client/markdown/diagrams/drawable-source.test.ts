import { expect } from 'chai';
import { describe, it } from 'mocha';
import { drawableSource } from '../../../../client/markdown/diagrams/drawable-source.ts';

const flow = 'flowchart LR\n  A --> B';
const lines = (count: number, line: string) => `${line}\n`.repeat(count);

describe('drawableSource', () => {
  for (const [name, source, drawn] of [
    ['front matter', `---\nconfig:\n  theme: dark\n---\n${flow}`, flow],
    ['front matter below comments and blank lines', `\n%% comment\n\n---\na: &a [*a]\n---\n${flow}`, flow],
    ['front matter below front matter', `---\na: 1\n---\n---\nb: 2\n---\n${flow}`, flow],
    ['all front matter but a title', `---\ntitle: "A: B"\nc: {}\n---\n${flow}`, `---\ntitle: "A: B"\n---\n${flow}`],
    ['directives', `%%{init: {"theme": "dark"}}%%\n${flow}\n%%{wrap}%%`, `${flow}\n`],
    ['a directive that another one hides', `%%{a%%{b}%%}%%${flow}`, `}%%${flow}`],
    ['comments', `%% packet\n${flow}`, flow],
    ['nothing of a source without configuration', 'block\n  columns 3\n  A space:2 B["2026: 1,250,000"]', undefined],
    ['nothing of a packet', 'packet-beta\n0-15: "Port 65535"\n+16: "Length"', undefined],
    ['nothing of attributes', 'flowchart LR\n  A@{ shape: doc, label: "R&D" } & B --> C', undefined],
    [
      'nothing of a plan without weekends',
      `gantt\n  dateFormat YYYY-MM-DD\n  excludes weekends\n${lines(100, '  A :a, 2026-01-05, 20d')}`,
      undefined,
    ],
    ['nothing of large values', 'pie\n  "North" : 12500000', undefined],
  ] as const) {
    it(`leaves out ${name}`, () => {
      expect(drawableSource(source)).to.equal(drawn ?? source);
    });
  }

  for (const [name, source] of [
    ['a packet of millions of bits', 'packet-beta\n0-99999999: "x"'],
    ['such a packet below a directive', '%%{init:{}}%%packet-beta\n0-99999999: "x"'],
    ['such a packet behind a no-break space', '\u00A0packet-beta\n0-99999999: "x"'],
    ['such a packet below a comment', '%% flowchart\n\u2028packet\n+99999999: "x"'],
    ['such a packet in the middle of a line', 'packet\n0-1: "x" 2-99999999: "y"'],
    ['many fields of thousands of bits', `packet\n${lines(290, '+9999: "x"')}`],
    ['a block diagram with millions of spaces', 'block-beta\n  space:999999999'],
    ['many spaces in a block diagram', `block\n${lines(290, 'space:99')}`],
    ['long tasks without weekends', `gantt\n  excludes weekends\n${lines(100, '  A :after a, 9999d')}`],
    ['tasks of centuries without weekends', `gantt\n  excludes weekends\n${lines(10, '  A :1900-01-01, 2026-01-01')}`],
    ['unfinished front matter', `---\na: 1\n${flow}`],
    ['an unfinished directive', `%%{init: {}\n${flow}`],
    ['references of YAML', 'flowchart LR\n  A@{ label: [&a [x, x], &b [*a, *a]] }'],
    ['20,001 characters', `${flow}\n${lines(20, 'a'.repeat(1000))}`],
    ['a line of 2,001 characters', `flowchart LR\n  A["${'x'.repeat(2000)}"]`],
    ['301 statements in one line', `flowchart LR\n${'A;'.repeat(300)}`],
  ] as const) {
    it(`returns null for ${name}`, () => {
      expect(drawableSource(source)).to.equal(null);
    });
  }
});
