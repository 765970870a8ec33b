import { expect } from 'chai';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import type { Block, Inline } from '../../../client/markdown/nodes.ts';
import { readBlocks } from '../../../client/markdown/read-blocks.ts';
import { isSafeLink } from '../../../client/markdown/safe-link.ts';
import { markdownTexts } from './markdown-texts.ts';

const text = (content: string): Inline => ({ type: 'text', text: content });
const paragraph = (start: number, ...children: Inline[]): Block => ({ start, type: 'paragraph', children });

function inlinesOf(blocks: readonly Block[]): Inline[] {
  const within = (nodes: readonly Inline[]): Inline[] =>
    nodes.flatMap((node) => ('children' in node ? [node, ...within(node.children)] : [node]));
  return blocks.flatMap((block) => {
    if (block.type === 'quote') return inlinesOf(block.blocks);
    if (block.type === 'list') return block.items.flatMap(({ blocks }) => inlinesOf(blocks));
    if (block.type === 'table') {
      return [...block.head, ...block.rows.flatMap(({ cells }) => cells)].flatMap(({ children }) => within(children));
    }
    return 'children' in block ? within(block.children) : [];
  });
}

describe('readBlocks', () => {
  it('reads headings, paragraphs, code and rules, each with its place', () => {
    expect(readBlocks('## A *b*\n\nOne\ntwo\n\n```TS title\nx\n\ny\n```\n\n---\n')).to.deep.equal([
      { start: 0, type: 'heading', level: 2, children: [text('A '), { type: 'emphasis', children: [text('b')] }] },
      paragraph(10, text('One'), { type: 'break' }, text('two')),
      { start: 19, type: 'code', language: 'ts', text: 'x\n\ny' },
      { start: 41, type: 'rule' },
    ]);
  });

  it('reads lists, lists in lists, and tasks', () => {
    expect(readBlocks('3. a\n   - [x] b\n   - [ ] c\n4. d')).to.deep.equal([
      {
        start: 0,
        type: 'list',
        firstNumber: 3,
        items: [
          {
            start: 0,
            isChecked: null,
            blocks: [
              paragraph(0, text('a')),
              {
                start: 5,
                type: 'list',
                firstNumber: null,
                items: [
                  { start: 5, isChecked: true, blocks: [paragraph(5, text('b'))] },
                  { start: 16, isChecked: false, blocks: [paragraph(16, text('c'))] },
                ],
              },
            ],
          },
          { start: 27, isChecked: null, blocks: [paragraph(27, text('d'))] },
        ],
      },
    ]);
  });

  it('reads tables and fills up their rows', () => {
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

  for (const html of ['<script>alert(1)</script>', '<img src=x onerror=alert(1)>', '<!-- a -->', '<b>a</b>']) {
    it(`shows ${html} as text`, () => {
      expect(readBlocks(html)).to.deep.equal([paragraph(0, text(html))]);
    });
  }

  for (const address of [
    'javascript:alert(1)',
    'JAVASCRIPT:a',
    'data:text/html,a',
    'vbscript:a',
    'file:///a',
    '//a.b',
    '/a',
    '#a',
  ]) {
    it(`makes no link to ${address}`, () => {
      const written = `[a](${address}) and ![b](${address})`;
      expect(readBlocks(written)).to.deep.equal([paragraph(0, text(written))]);
    });
  }

  it('links to web and e-mail addresses, also where they stand bare', () => {
    const addresses = inlinesOf(readBlocks('[a](http://b.c) <mailto:a@b.c> https://d.e/f_g_h. b.c'));
    expect(addresses.flatMap((node) => (node.type === 'link' ? node.href : []))).to.deep.equal([
      'http://b.c',
      'mailto:a@b.c',
      'https://d.e/f_g_h',
    ]);
  });

  it('makes an image a link to it, or what its own link says', () => {
    const link = (href: string, label: string): Inline => ({ type: 'link', href, children: [text(label)] });
    expect(readBlocks('![a](http://b.c)')).to.deep.equal([paragraph(0, link('http://b.c', 'a'))]);
    expect(readBlocks('![](http://b.c)')).to.deep.equal([paragraph(0, link('http://b.c', 'http://b.c'))]);
    expect(readBlocks('[![a](http://b.c)](http://d.e)')).to.deep.equal([paragraph(0, link('http://d.e', 'a'))]);
  });

  it('makes no link of any text that is not safe', () => {
    fc.assert(
      fc.property(markdownTexts, fc.webUrl(), fc.string(), (markdown, url, other) => {
        const blocks = readBlocks(`${markdown}[a](${other}) ![b](${url}) <${other}> ${url}`);
        for (const node of inlinesOf(blocks)) if (node.type === 'link') expect(isSafeLink(node.href)).to.equal(true);
      }),
      { numRuns: 1000 },
    );
  });

  it('takes a moment for the most senseless text', () => {
    const senseless = [
      '>'.repeat(20_000),
      '['.repeat(20_000),
      '_a_'.repeat(20_000),
      '**a '.repeat(20_000),
      '- '.repeat(20_000),
    ];
    for (const some of senseless) {
      const startedAt = performance.now();
      readBlocks(some);
      expect(performance.now() - startedAt, some.slice(0, 4)).to.be.lessThan(2000);
    }
  });
});
