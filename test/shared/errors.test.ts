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

describe('formatError and errorSentence', () => {
  it('append the wait in seconds', () => {
    expect(formatError('RATE_LIMITED', 42)).to.equal('RATE_LIMITED: Too many requests. Try again in 42 seconds.');
    expect(errorSentence('RATE_LIMITED', 1)).to.equal('Too many requests. Try again in 1 second.');
  });
});

describe('parseErrorCode', () => {
  for (const code of errorCodes) {
    it(`returns ${code} for its error body`, () => {
      expect(parseErrorCode(formatError(code))).to.equal(code);
    });
  }

  for (const body of ['', 'Bad Gateway', 'toString: no', 'NOT_OURS: a sentence', '<p>INTERNAL: no</p>']) {
    it(`returns undefined for ${JSON.stringify(body)}`, () => {
      expect(parseErrorCode(body)).to.equal(undefined);
    });
  }
});

describe('splitAppendedError', () => {
  for (const code of errorCodes) {
    it(`separates an appended ${code} from the reply`, () => {
      expect(splitAppendedError(`One\n\nTwo${formatAppendedError(code)}`)).to.deep.equal({ text: 'One\n\nTwo', code });
    });
  }

  it('separates only the last error line', () => {
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
    it(`finds no error in ${JSON.stringify(reply)}`, () => {
      expect(splitAppendedError(reply)).to.deep.equal({ text: reply });
    });
  }
});
