import { expect } from 'chai';
import { describe, it } from 'mocha';
import { isBlank } from '../../shared/messages.ts';

describe('isBlank', () => {
  for (const text of [
    '',
    ' ',
    '\n\n',
    '\t\v\f\r',
    '\u001C\u001D\u001E\u001F',
    '\u0085',
    '\u00A0\u2003\u2028\u3000',
    '\uFEFF',
  ]) {
    it(`is true for ${JSON.stringify(text)}`, () => {
      expect(isBlank(text)).to.equal(true);
    });
  }

  for (const text of ['x', '\n . \n', '\0', '\uD800', '\u200B', '。']) {
    it(`is false for ${JSON.stringify(text)}`, () => {
      expect(isBlank(text)).to.equal(false);
    });
  }
});
