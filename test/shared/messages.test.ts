import { expect } from 'chai';
import { describe, it } from 'mocha';
import { isBlank, messageText } from '../../shared/messages.ts';

describe('isBlank', () => {
  it('returns true for empty text and for white space as JavaScript or the provider defines it', () => {
    for (const text of ['', ' ', '\n\n', '\t\v\f\r', '\x1C\x1D\x1E\x1F', '\x85', '\xA0\u2003\u2028\u3000', '\uFEFF']) {
      expect(isBlank(text), JSON.stringify(text)).to.equal(true);
    }
  });

  it('returns false for text with any other character, even an invisible one', () => {
    for (const text of ['x', '\n . \n', '\0', '\uD800', '\u200B', '。']) {
      expect(isBlank(text), JSON.stringify(text)).to.equal(false);
    }
  });
});

describe('messageText', () => {
  it('returns a string unchanged, and blocks as paragraphs in their order', () => {
    expect(messageText({ role: 'user', content: ' One\n' })).to.equal(' One\n');
    const content = ['One', 'Two\nlines', 'Three'].map((text) => ({ type: 'text' as const, text }));
    expect(messageText({ role: 'user', content })).to.equal('One\n\nTwo\nlines\n\nThree');
  });
});
