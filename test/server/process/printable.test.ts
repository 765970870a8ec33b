import { expect } from 'chai';
import { describe, it } from 'mocha';
import { printableLine, printableText } from '../../../server/process/printable.ts';

describe('printable', () => {
  it('escapes control and format characters, except line breaks and tabs', () => {
    const text = 'a\tb\n\u001b[31m \r \u007f \u009b \u202e \u2066 \u200d \ufeff \u{e0041} é 日本 \u{1F600}';
    expect(printableText(text)).to.equal(
      'a\tb\n\\u001b[31m \\u000d \\u007f \\u009b \\u202e \\u2066 \\u200d \\ufeff \\udb40\\udc41 é 日本 \u{1F600}',
    );
    expect(printableLine('a\tb\nc')).to.equal('a\\u0009b\\u000ac');
  });

  it('escapes invisible characters of other kinds, except the spaces of names', () => {
    for (const character of '\u2028\u2029\u2800\u3164\u115f\u1160\uffa0\u034f\ufe0f\u00a0\u200a') {
      const code = character.charCodeAt(0).toString(16).padStart(4, '0');
      expect(printableText(`a${character}b`), code).to.equal(`a\\u${code}b`);
    }
    expect(printableText('山田\u3000太郎 is here')).to.equal('山田\u3000太郎 is here');
  });

  it('does not change the value of JSON', () => {
    const value = { '\u202ename': ['\\\u009b', '"\u{e0041}', '\u0000'] };
    expect(JSON.parse(printableText(JSON.stringify(value, null, 2)))).to.deep.equal(value);
  });
});
