import { expect } from 'chai';
import { describe, it } from 'mocha';
import {
  errorCodes,
  errorSentence,
  formatAppendedError,
  formatError,
  parseErrorCode,
  splitAppendedError,
} from '../../shared/errors.ts';

describe('The error table', () => {
  it('names the wait of a limit in seconds', () => {
    expect(formatError('RATE_LIMITED', 42)).to.equal('RATE_LIMITED: Too many requests. Try again in 42 seconds.');
    expect(errorSentence('RATE_LIMITED', 1)).to.equal('Too many requests. Try again in 1 second.');
  });
});

describe('parseErrorCode', () => {
  for (const code of errorCodes) {
    it(`reads ${code} off its own body`, () => {
      expect(parseErrorCode(formatError(code))).to.equal(code);
    });
  }

  for (const body of ['', 'Bad Gateway', 'toString: no', 'NOT_OURS: a sentence', '<p>INTERNAL: no</p>']) {
    it(`finds no code in ${JSON.stringify(body)}`, () => {
      expect(parseErrorCode(body)).to.equal(undefined);
    });
  }
});

describe('splitAppendedError', () => {
  for (const code of errorCodes) {
    it(`takes an appended ${code} off the reply`, () => {
      expect(splitAppendedError(`One\n\nTwo${formatAppendedError(code)}`)).to.deep.equal({ text: 'One\n\nTwo', code });
    });
  }

  it('takes off the last line alone', () => {
    const line = formatAppendedError('INTERNAL');
    expect(splitAppendedError(`One${line}${line}`)).to.deep.equal({ text: `One${line}`, code: 'INTERNAL' });
  });

  for (const reply of [
    '',
    'One',
    'One\n\n[INTERNAL: A sentence of another kind.]',
    'One\n\n[NOT_OURS: Something went wrong on our side.]',
    'One\n[INTERNAL: Something went wrong on our side.]',
    'One\n\n[INTERNAL: Something went wrong on our side.] Two',
    'One\n\n[INTERNAL: Something went wrong on our side.',
  ]) {
    it(`leaves ${JSON.stringify(reply)} as it is`, () => {
      expect(splitAppendedError(reply)).to.deep.equal({ text: reply });
    });
  }
});
