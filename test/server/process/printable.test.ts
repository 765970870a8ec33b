import { expect } from 'chai';
import { describe, it } from 'mocha';
import { printable, printableLine } from '../../../server/process/printable.ts';

describe('printable', () => {
  it('escapes control and format characters, except line breaks and tabs', () => {
    const text = 'a\tb\n\u001b[31m \r \u007f \u009b \u202e \u2066 \u200d \ufeff \u{e0041} é 日本 \u{1F600}';
    expect(printable(text)).to.equal(
      'a\tb\n\\u001b[31m \\u000d \\u007f \\u009b \\u202e \\u2066 \\u200d \\ufeff \\udb40\\udc41 é 日本 \u{1F600}',
    );
    expect(printableLine('a\tb\nc')).to.equal('a\\u0009b\\u000ac');
  });

  it('does not change the value of JSON', () => {
    const value = { '\u202ename': ['\\\u009b', '"\u{e0041}', '\u0000'] };
    expect(JSON.parse(printable(JSON.stringify(value, null, 2)))).to.deep.equal(value);
  });
});
