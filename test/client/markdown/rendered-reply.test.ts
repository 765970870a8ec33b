import { expect } from 'chai';
import { describe, it } from 'mocha';
import { messages } from '../../../client/language/messages/en.ts';
import { calloutKinds } from '../../../client/markdown/parsing/nodes.ts';
import { renderedHtml } from './rendered.ts';

const { quotations, tasks, conversation, tables, diagrams, formulas } = messages;

/** Returns the HTML inside the outer box, without classes, styles, tab stops and places in the source. */
function htmlOf(text: string, options?: { isGrowing: boolean }): string {
  return renderedHtml(text, options)
    .replace(/^<div [^>]*>|<\/div>$/g, '')
    .replace(/ (?:class|style|tabindex|data-start)="[^"]*"/g, '');
}

const textsOf = (html: string) => html.split(/<[^>]*>/).filter((text) => text !== '');
const namesOf = (html: string) =>
  Array.from(html.matchAll(/<button.*?<\/button>/gs), ([button]) => textsOf(button).join());

describe('A rendered reply', () => {
  for (const [written, html] of [
    ['# A', '<h2 dir="auto">A</h2>'],
    ['## A', '<h2 dir="auto">A</h2>'],
    ['### A', '<h3 dir="auto">A</h3>'],
    ['#### A', '<h4 dir="auto">A</h4>'],
    ['##### A', '<h5 dir="auto">A</h5>'],
    ['###### A', '<h6 dir="auto">A</h6>'],
    ['A **b** *c* ~~d~~', '<p dir="auto">A <strong>b</strong> <em>c</em> <del>d</del></p>'],
    ['A `b`', '<p dir="auto">A <code dir="ltr">b</code></p>'],
    ['A\nb', '<p dir="auto">A<br/>b</p>'],
    ['A\n\n---', '<p dir="auto">A</p><hr/>'],
    // Of HTML, only line breaks have a meaning.
    ['# A<br>b', '<h2 dir="auto">A<br/>b</h2>'],
    ['**A<br>b**', '<p dir="auto"><strong>A<br/>b</strong></p>'],
    ['`A<br>b`', '<p dir="auto"><code dir="ltr">A&lt;br&gt;b</code></p>'],
    ['A \\<br> &lt;br&gt;', '<p dir="auto">A &lt;br&gt; &lt;br&gt;</p>'],
    ['A <br class="b"> <brr> </br>', '<p dir="auto">A &lt;br class=&quot;b&quot;&gt; &lt;brr&gt; &lt;/br&gt;</p>'],
    // The mark of a heading has precedence over a table on the same line.
    ['# a | b\n--- | ---', '<h2 dir="auto">a | b</h2><p dir="auto">--- | ---</p>'],
    ['- a\n- b', '<ul dir="auto"><li><p>a</p></li><li><p>b</p></li></ul>'],
    ['3) a\n0) b', '<ol dir="auto"><li value="3"><p>a</p></li><li value="0"><p>b</p></li></ol>'],
    ['- a\n  1. b', '<ul dir="auto"><li><p>a</p><ol><li value="1"><p>b</p></li></ol></li></ul>'],
    ['> a\n> - b', '<blockquote dir="auto"><p>a</p><ul><li><p>b</p></li></ul></blockquote>'],
    // No line starts with the punctuation after a formula.
    ['a $x$, b', '<p dir="auto">a <span><span dir="ltr"></span>,</span> b</p>'],
    ['a $x$ b', '<p dir="auto">a <span><span dir="ltr"></span></span> b</p>'],
    ['On 2026-11-22', '<p dir="auto">On <span>2026-11-22</span></p>'],
    ['In 5-10 days, x-1', '<p dir="auto">In <span>5-10</span> days, x-1</p>'],
    ['1234567890-1234567890-1234', '<p dir="auto">1234567890-1234567890-1234</p>'],
  ] as const) {
    it(`is ${html} for ${JSON.stringify(written)}`, () => {
      expect(htmlOf(written)).to.equal(html);
    });
  }

  for (const lineBreak of ['<br>', '<br/>', '<br />', '<BR>', ' <br> ', '<br>\n', '  <br>\n  ']) {
    it(`has one line break for ${JSON.stringify(lineBreak)}`, () => {
      expect(htmlOf(`A${lineBreak}b`)).to.equal('<p dir="auto">A<br/>b</p>');
    });
  }

  const emphasized = [
    ['**注意：**数値は推定です。', '<strong>注意：</strong>数値は推定です。'],
    ['含**「重点」**内容。', '含<strong>「重点」</strong>内容。'],
    ['~~削除（例）。~~続き', '<del>削除（例）。</del>続き'],
    ['これは**（重要）**です', 'これは<strong>（重要）</strong>です'],
    ['*注意：*数値', '<em>注意：</em>数値'],
    ['_注意：_数値', '<em>注意：</em>数値'],
    ['含_「重点」_内容', '含<em>「重点」</em>内容'],
    ['__注意：__数値', '<strong>注意：</strong>数値'],
    ['请看**“重点”**内容。', '请看<strong>“重点”</strong>内容。'],
    ['**价格（元）**和**数量**', '<strong>价格（元）</strong>和<strong>数量</strong>'],
    ['**-핵심-**은 다음과 같다', '<strong>-핵심-</strong>은 다음과 같다'],
    ['**핵심(Core)**은 ~~취소(예)~~된다', '<strong>핵심(Core)</strong>은 <del>취소(예)</del>된다'],
    ['***注意：***数値', '<em><strong>注意：</strong></em>数値'],
    ['**𠮷野家。**𠮷', '<strong>𠮷野家。</strong>𠮷'],
    ['売上_2025_計とファイル_最終_版', '売上_2025_計とファイル_最終_版'],
    ['a_b_c and 2 * 3 * 4', 'a_b_c and 2 * 3 * 4'],
    ['数 * 量 * 値', '数 * 量 * 値'],
  ] as const;
  const growing = [
    ['**注意：', '<strong>注意：</strong>'],
    ['含**「重', '含<strong>「重</strong>'],
    ['含**「重点」**内', '含<strong>「重点」</strong>内'],
    ['~~削除（例）。~~続', '<del>削除（例）。</del>続'],
    ['含_「重', '含<em>「重</em>'],
    ['**注意：**数値**（推', '<strong>注意：</strong>数値<strong>（推</strong>'],
  ] as const;
  for (const [written, html] of [...emphasized, ...growing]) {
    it(`has emphasis beside East Asian text: ${html} for “${written}”`, () => {
      for (const isGrowing of growing.some(([text]) => text === written) ? [true] : [false, true])
        expect(htmlOf(written, { isGrowing })).to.equal(`<p dir="auto">${html}</p>`);
    });
  }

  it('says which tasks of a task list are done', () => {
    expect(htmlOf('- [x] a\n- [ ] b')).to.equal(
      `<ul dir="auto"><li><span role="img" aria-label="${tasks.done}"></span><p>a</p></li>` +
        `<li><span role="img" aria-label="${tasks.open}"></span><p>b</p></li></ul>`,
    );
  });

  for (const kind of calloutKinds) {
    it(`has the title “${quotations[kind]}” for a callout of that kind`, () => {
      expect(textsOf(htmlOf(`> [!${kind.toUpperCase()}]\n> a`))).to.deep.equal([quotations[kind], 'a']);
    });
  }

  describe('with code', () => {
    it('names the language of the code, and offers to copy the code once it is complete', () => {
      const growing = htmlOf('```TS title\na', { isGrowing: true });
      expect(growing).to.match(/^<figure aria-label="Code: TypeScript" dir="ltr">/);
      expect(growing).not.to.include('<button');
      expect(textsOf(growing)).to.deep.equal(['TypeScript', 'a']);
      expect(textsOf(htmlOf('```Zig\na', { isGrowing: true }))).to.deep.equal(['zig', 'a']);
      const complete = htmlOf('```TS\na\n```');
      expect(namesOf(complete)).to.deep.equal([conversation.copyCode]);
      expect(textsOf(complete).at(-1)).to.equal('a');
    });

    for (const [title, written] of [
      ['before a paragraph', '```ts\na\n```\n\nb'],
      ['in a list', '- a\n\n  ```ts\n  b\n  ```\n- c'],
      ['in an item', '- ```ts\n  a\n  ```\n\n  b'],
      ['in a quotation', '> ```ts\n> a\n> ```\n> b'],
      ['at the end of a section', `${'b\n\n'.repeat(15)}\`\`\`ts\na\n\`\`\`\n\nb`],
    ] as const) {
      it(`offers to copy complete code ${title} while the rest of the reply arrives`, () => {
        expect(namesOf(htmlOf(written, { isGrowing: true }))).to.deep.equal([conversation.copyCode]);
      });
    }

    it('has a generic label for code without a language', () => {
      expect(htmlOf('```\na\n```')).to.match(new RegExp(`^<figure aria-label="${conversation.code}" dir="ltr">`));
    });

    it('shows the source of a diagram until it is drawn', () => {
      const growing = htmlOf('```mermaid\ngraph TD', { isGrowing: true });
      expect(textsOf(growing)).to.deep.equal([diagrams.name, 'graph TD']);
      const complete = htmlOf('```mermaid\ngraph TD\n```');
      expect(textsOf(complete)[0]).to.equal(diagrams.name);
      for (const html of [growing, complete])
        expect(html).to.include(`<figure aria-label="${diagrams.name}" dir="ltr">`);
      expect(complete).to.include('<div data-unfinished="">').and.include('graph TD');
    });
  });

  it('has a labelled group for a displayed formula', () => {
    expect(htmlOf('$$\nx\n$$')).to.equal(
      `<div role="group" aria-label="${formulas.formula}"><span dir="ltr"></span></div>`,
    );
  });

  describe('with a table', () => {
    const table = '| Site | Cost |\n|--|--:|\n| A | 5 |\n| B | 7 |';

    it('has column and row headers, and a label with the names of the columns', () => {
      const html = htmlOf(table);
      expect(html).to.include(`aria-label="${tables.table.replace('{columns}', 'Site, Cost')}"`);
      expect(html).to.include('<tr><th scope="col">Site</th><th scope="col"><span>Cost</span></th></tr>');
      expect(html).to.include(
        '<tbody><tr><th scope="row">A</th><td>5</td></tr><tr><th scope="row">B</th><td>7</td></tr></tbody>',
      );
    });

    it('has no row headers if the table has a single column', () => {
      expect(htmlOf('| Site |\n|--|\n| A |')).to.include('<tbody><tr><td>A</td></tr></tbody>');
    });

    it('offers to copy and download the table, and to draw its numbers, once it is complete', () => {
      const offers = (text: string, isGrowing = false) => namesOf(htmlOf(text, { isGrowing }));
      expect(offers(table)).to.deep.equal([tables.copy, tables.download, tables.showChart]);
      expect(offers(table, true)).to.deep.equal([]);
      expect(offers('| Site | Owner |\n|--|--|\n| A | Robin |')).to.deep.equal([tables.copy, tables.download]);
      expect(offers('| Site | Cost |\n|--|--|')).to.deep.equal([]);
    });

    it('aligns the columns as the Markdown specifies', () => {
      const html = renderedHtml('| a | b | c | d |\n|:--|:-:|--:|--|\n| e | f | g | h |');
      const alignments = Array.from(
        html.matchAll(/<t[dh] [^>]*class="([^"]*)"/g),
        ([, names = '']) => /align-\w+/.exec(names)?.[0],
      );
      const row = ['align-left', 'align-center', 'align-right', undefined];
      expect(alignments).to.deep.equal([...row, ...row]);
    });

    it('has all rows in order, however many there are', () => {
      const rows = Array.from({ length: 120 }, (_, index) => `row ${index}`);
      const html = htmlOf(['| a |', '|--|', ...rows.map((row) => `| ${row} |`)].join('\n'));
      expect(Array.from(html.matchAll(/<td>([^<]*)/g), ([, text]) => text)).to.deep.equal(rows);
    });
  });
});
