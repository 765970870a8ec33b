import { expect } from 'chai';
import { describe, it } from 'mocha';
import { copiedHtml } from '../../../../client/markdown/copied-html.ts';
import { linesAsWritten } from '../lines-as-written.ts';
import { renderedHtml, unescaped } from '../rendered.ts';

/** Returns the lines of rendered or copied HTML as a reader sees them. */
function linesOf(html: string): string {
  const text = html
    .replace(/\n/g, '')
    .replace(/<blockquote.*?<\/blockquote>/g, (quotation) => quotation.replace(/<(?:p|br)\b[^>]*>/g, '\n┃ '))
    .replace(/<li value="(\d+)"[^>]*>(?:<p [^>]*>)?/g, '\n$1. ')
    .replace(/<li[^>]*>(?:<p [^>]*>)?/g, '\n• ')
    .replace(/<(?:p|br|h\d|hr)\b[^>]*>/g, '\n')
    .replace(/<[^>]*>/g, '');
  return unescaped(text).split('\n').filter(Boolean).join('\n');
}

describe('A line of business text', () => {
  for (const { written, shown } of linesAsWritten) {
    it(`is shown and copied as ${JSON.stringify(shown)}`, () => {
      expect(linesOf(renderedHtml(written)), 'shown').to.equal(shown);
      expect(linesOf(copiedHtml(written)), 'copied').to.equal(shown);
    });
  }
});
