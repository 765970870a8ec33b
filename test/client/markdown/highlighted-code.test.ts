import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createElement, type FunctionComponent } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { importClient } from '../../support/import-client.ts';

const { default: HighlightedCode } = await importClient<{
  default: FunctionComponent<{ language: string; text: string }>;
}>('markdown/highlighted-code.tsx');

const htmlOf = (language: string, text: string) =>
  renderToStaticMarkup(createElement(HighlightedCode, { language, text }));

describe('Highlighted code', () => {
  for (const [text, ...languages] of [
    ['echo "a"', 'bash', 'sh', 'shell', 'console', 'zsh'],
    ['var a = "b";', 'csharp', 'cs', 'c#'],
    ['a { color: red }', 'css'],
    ['+ a', 'diff', 'patch'],
    ['func a() {}', 'go', 'golang'],
    ['class A {}', 'java'],
    ['const a = 1', 'javascript', 'js', 'jsx', 'typescript', 'ts', 'tsx'],
    ['{ "a": 1 }', 'json', 'jsonc', 'json5'],
    ['def a(): pass', 'python', 'py'],
    ['a <- function(b) 1', 'r'],
    ['SELECT 1', 'sql', 'mysql', 'postgres', 'postgresql'],
    ['<a b="c">', 'xml', 'html', 'svg'],
    ['a: "b"', 'yaml', 'yml'],
  ] as const) {
    it(`has colors in ${languages.join(', ')}`, () => {
      for (const language of languages) expect(htmlOf(language, text), language).to.include('<span class="hljs-');
    });
  }

  it('has no colors if its language has no grammar', () => {
    expect(htmlOf('brainfuck', 'a "b"')).to.equal('a &quot;b&quot;');
  });
});
