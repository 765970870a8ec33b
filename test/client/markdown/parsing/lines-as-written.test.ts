import { expect } from 'chai';
import { describe, it } from 'mocha';
import { copiedHtml } from '../../../../client/markdown/copied-html.ts';
import { linesAsWritten } from '../lines-as-written.ts';
import { renderedHtml } from '../rendered.ts';

const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', '#x27': "'", amp: '&' };

/** Returns the lines of rendered or copied HTML as a reader sees them. */
function linesOf(html: string): string {
  return html
    .replace(/\n/g, '')
    .replace(/<blockquote.*?<\/blockquote>/g, (quotation) => quotation.replace(/<(?:p|br)\b[^>]*>/g, '\n┃ '))
    .replace(/<li value="(\d+)"[^>]*>(?:<p [^>]*>)?/g, '\n$1. ')
    .replace(/<li[^>]*>(?:<p [^>]*>)?/g, '\n• ')
    .replace(/<(?:p|br|h\d|hr)\b[^>]*>/g, '\n')
    .replace(/<[^>]*>/g, '')
    .replace(/&(lt|gt|quot|#x27|amp);/g, (_, name) => entities[name] ?? '')
    .split('\n')
    .filter((line) => line !== '')
    .join('\n');
}

describe('A line of business text', () => {
  for (const { written, shown } of linesAsWritten) {
    it(`is shown and copied as ${JSON.stringify(shown)}`, () => {
      expect(linesOf(renderedHtml(written)), 'shown').to.equal(shown);
      expect(linesOf(copiedHtml(written)), 'copied').to.equal(shown);
    });
  }
});
