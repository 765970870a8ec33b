import { expect } from 'chai';
import { describe, it } from 'mocha';
import { presentableText } from '../../../client/chat/presentable-text.ts';
import { formatAppendedError } from '../../../shared/errors.ts';
import { errorCodes } from '../../shared/error-codes.ts';

describe('presentableText', () => {
  for (const code of errorCodes) {
    it(`shows no part of an arriving ${code} line`, () => {
      const line = formatAppendedError(code);
      for (let length = 0; length <= line.length; length += 1) {
        expect(presentableText(`We are in${line.slice(0, length)}`)).to.equal('We are in');
      }
    });
  }

  it('shows everything else at once', () => {
    for (const reply of ['', 'Week 3.', 'One\n\n[1] Two', 'One\n\n[NOTE: two', 'One\n\n[UPSTREAM_ERROR: else']) {
      expect(presentableText(reply)).to.equal(reply);
    }
  });

  it('shows line breaks as soon as something follows that is no error line', () => {
    expect(presentableText('One\n\n')).to.equal('One');
    expect(presentableText('One\n\nTwo')).to.equal('One\n\nTwo');
  });

  it('holds back the last line alone where a reply quotes one before it', () => {
    const line = formatAppendedError('INTERNAL');
    expect(presentableText(`One${line}${line}`)).to.equal(`One${line}`);
  });
});
