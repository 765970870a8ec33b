import { expect } from 'chai';
import { describe, it } from 'mocha';
import { isBlank } from '../../shared/messages.ts';

describe('isBlank', () => {
  it('is true for text that is empty or only white space, to the provider or to JavaScript', () => {
    for (const text of ['', ' ', '\n\n', '\t\v\f\r', '\x1C\x1D\x1E\x1F', '\x85', '\xA0\u2003\u2028\u3000', '\uFEFF']) {
      expect(isBlank(text), JSON.stringify(text)).to.equal(true);
    }
  });

  it('is false for text with any other character, visible or not', () => {
    for (const text of ['x', '\n . \n', '\0', '\uD800', '\u200B', '。']) {
      expect(isBlank(text), JSON.stringify(text)).to.equal(false);
    }
  });
});
