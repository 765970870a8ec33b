import { expect } from 'chai';
import fc from 'fast-check';
import { after, before, describe, it } from 'mocha';
import { readLinkTarget } from '../../../client/markdown/parsing/link-target.ts';
import { hostileTexts, ownAddress } from './hostile-texts.ts';
import { markdownTexts } from './markdown-texts.ts';
import { type RenderedElement, renderedElements } from './rendered.ts';

const linkAttributes = {
  dir: 'auto',
  target: '_blank',
  rel: 'noopener noreferrer nofollow',
  referrerPolicy: 'no-referrer',
};

const bare = ['br', 'del', 'em', 'figcaption', 'hr', 'pre', 'strong', 'tbody', 'thead'];
const headings = ['h2', 'h3', 'h4', 'h5', 'h6'];

const allowed: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(bare.map((tag) => [tag, []])),
  ...Object.fromEntries([...headings, 'p'].map((tag) => [tag, ['data-start', 'class', 'dir']])),
  ...Object.fromEntries(['blockquote', 'code', 'ul'].map((tag) => [tag, ['dir']])),
  ...Object.fromEntries(['table', 'td'].map((tag) => [tag, ['class']])),
  a: ['href', 'title', 'class', ...Object.keys(linkAttributes)],
  bdi: ['class', 'dir', 'data-code'],
  button: ['type', 'class'],
  div: ['data-start', 'class', 'lang', 'role', 'aria-label', 'tabindex', 'dir'],
  figure: ['class', 'aria-label', 'dir'],
  li: ['data-start', 'class', 'value'],
  ol: ['dir', 'style'],
  path: ['d'],
  span: ['class', 'role', 'aria-label', 'dir'],
  svg: ['class', 'viewBox', 'aria-hidden'],
  th: ['scope', 'class'],
  tr: ['data-start'],
};

function expectAllowed({ tag, attributes }: RenderedElement): void {
  expect(Object.keys(allowed)).to.include(tag);
  expect(allowed[tag], tag).to.include.members(Object.keys(attributes));
  if (tag === 'ol') expect(attributes.style).to.match(/^--digits:\d+$/);
  if (tag !== 'a') return;
  const { href = '', title, class: className = 'bare-link', ...others } = attributes;
  expect(className).to.equal('bare-link');
  expect(title).to.equal(href);
  expect(others).to.deep.equal(linkAttributes);
  expect(href)
    .to.match(/^(?:https?:\/\/[^/?#@\\]+[/?#]|mailto:[^/?#@,%]+@[^/?#@,%]+$)/)
    .and.match(/^[!-~]+$/);
  expect(readLinkTarget(href)?.href).to.equal(href);
}

const linksIn = (elements: readonly RenderedElement[]) =>
  elements.filter(({ tag }) => tag === 'a').map(({ text, attributes: { href } }) => ({ shown: text, href }));

describe('a hostile reply', () => {
  before(() => void Object.assign(globalThis, { location: new URL(ownAddress) }));
  after(() => void Reflect.deleteProperty(globalThis, 'location'));

  for (const { name, written, links } of hostileTexts) {
    it(`cannot mislead with ${name}: ${JSON.stringify(written)}`, () => {
      const elements = renderedElements(written);
      expect(linksIn(elements)).to.deep.equal(links);
      for (const element of elements) expectAllowed(element);
    });
  }

  for (const [title, written] of [
    ['inline code', '`a\u202Eb\u061C`'],
    ['a code block', '```\na\u202Eb\u061C\n```'],
    ['a code block with a grammar', '```js\na\u202Eb\u061C\n```'],
  ] as const) {
    it(`cannot secretly reorder ${title}, because each character that reorders the text is made visible`, () => {
      const elements = renderedElements(written);
      expect(elements.find(({ tag }) => tag === 'code')?.text).to.equal('a\u202Eb\u061C');
      const controls = elements.filter(({ tag }) => tag === 'bdi');
      expect(controls.map(({ text, attributes }) => [text, attributes['data-code']])).to.deep.equal([
        ['\u202E', 'U+202E'],
        ['\u061C', 'U+061C'],
      ]);
    });
  }

  it('is rendered with only allowed elements, attributes and URLs', () => {
    const address = fc.oneof(
      fc.webUrl({ withQueryParameters: true, withFragments: true }),
      fc.webAuthority({ withUserInfo: true, withPort: true }).map((authority) => `https://${authority}/`),
      fc.constantFrom(...hostileTexts.map(({ written }) => /\(<?(.*?)>?\)/.exec(written)?.[1] ?? written)),
      fc.string({ unit: 'binary' }),
    );
    const text = fc.oneof(markdownTexts, fc.string({ unit: 'grapheme' }), address);
    const links = fc
      .tuple(text, address)
      .map(([label, href]) => `[${label}](${href}) ![${label}](<${href}>) <${href}>`);
    const pieces = fc.oneof(markdownTexts, links, fc.constantFrom(...hostileTexts.map(({ written }) => written)));
    const replies = fc.array(pieces, { maxLength: 4 }).map((chosen) => chosen.join(''));
    fc.assert(
      fc.property(replies, fc.boolean(), (reply, isGrowing) => {
        for (const element of renderedElements(reply, { isGrowing })) expectAllowed(element);
      }),
      { numRuns: 500 },
    );
  });
});

describe('a link in a reply', () => {
  for (const [written, isBare] of [
    ['https://a.example', true],
    ['<https://a.example/b>', true],
    ['<j@a.example>', true],
    ['[a.example](https://a.example)', false],
    ['[the report](https://a.example/r)', false],
  ] as const) {
    it(`is printed ${isBare ? 'without' : 'with'} its URL after it: “${written}”`, () => {
      const link = renderedElements(written).find(({ tag }) => tag === 'a');
      expect(link?.attributes.class).to.equal(isBare ? 'bare-link' : undefined);
    });
  }

  for (const [written, shown] of [
    ['see [the report](/reports/3) and', 'see the report and'],
    ['see [**the** report]() and', 'see the report and'],
    ['see ![the picture](p.png) and', 'see the picture and'],
    ['see ![](p.png) and', 'see  and'],
    ['see <xs:element> and', 'see <xs:element> and'],
  ] as const) {
    it(`is reduced to its text if its URL is refused: “${written}”`, () => {
      const elements = renderedElements(written);
      expect(linksIn(elements)).to.deep.equal([]);
      expect(elements.find(({ tag }) => tag === 'p')).to.have.property('text', shown);
    });
  }

  for (const [written, shown, href] of [
    ['https://a.example/b_c_d.', 'https://a.example/b_c_d', 'https://a.example/b_c_d'],
    ['https://a.example/b<br>c', 'https://a.example/b', 'https://a.example/b'],
    ['https://a.exampleをご覧ください', 'https://a.example', 'https://a.example/'],
    ['详见https://a.example/b的说明', 'https://a.example/b', 'https://a.example/b'],
    ['https://a.example/b_c에서', 'https://a.example/b_c', 'https://a.example/b_c'],
    ['https://a.exampleที่นี่', 'https://a.example', 'https://a.example/'],
    ['https://a.example/%E6%97%A5/b?c=d。次', 'https://a.example/%E6%97%A5/b?c=d', 'https://a.example/%E6%97%A5/b?c=d'],
    ['<https://a.example>', 'https://a.example', 'https://a.example/'],
    ['[a.example](https://a.example)', 'a.example', 'https://a.example/'],
    ['[a.example/b](https://a.example/b?c#d)', 'a.example/b', 'https://a.example/b?c#d'],
    ['[http://A.example:8080](http://a.example:8080)', 'http://A.example:8080', 'http://a.example:8080/'],
    ['[the report](https://a.example/r)', 'the report', 'https://a.example/r'],
    ['![the picture](https://a.example/p.png)', 'the picture', 'https://a.example/p.png'],
    ['![](https://a.example/p.png)', 'https://a.example/p.png', 'https://a.example/p.png'],
    ['[דוח](https://a.example)', 'דוח', 'https://a.example/'],
    ['[the report at a.example.](https://a.example)', 'the report at a.example.', 'https://a.example/'],
    ['[version 2.10, e.g.](https://a.example)', 'version 2.10, e.g.', 'https://a.example/'],
    ['[the docs of Node.js](https://a.example)', 'the docs of Node.js (a.example)', 'https://a.example/'],
    ['<j@a.example>', 'j@a.example', 'mailto:j@a.example'],
    ['[write](mailto:j.d+e@a.example)', 'write', 'mailto:j.d+e@a.example'],
  ] as const) {
    it(`shows its destination only if its text names a different destination: “${written}”`, () => {
      expect(linksIn(renderedElements(written))).to.deep.equal([{ shown, href }]);
    });
  }
});
