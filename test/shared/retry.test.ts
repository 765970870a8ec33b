import { expect } from 'chai';
import { describe, it } from 'mocha';
import { errorCodes, errors } from '../../shared/errors.ts';
import { type Failure, nextDelaySeconds } from '../../shared/retry.ts';

const repeated = (failure: Failure, times: number) => Array.from({ length: times }, () => failure);

describe('nextDelaySeconds', () => {
  for (const code of errorCodes) {
    it(`follows the rule for ${code} after repeated failures`, () => {
      const { attempts, delaysSeconds } = errors[code].retry;
      const waits = delaysSeconds === 'retry-after' ? Array<number>(attempts - 1).fill(7) : delaysSeconds;
      const failure: Failure = delaysSeconds === 'retry-after' ? { code, retryAfterSeconds: 7 } : { code };
      const delays = Array.from({ length: attempts }, (_, before) => nextDelaySeconds(repeated(failure, before + 1)));
      expect(delays).to.deep.equal([...waits, null]);
    });
  }

  it('returns Retry-After up to 60 seconds and null beyond that', () => {
    const delays = [0, 1, 60, 61, 3600].map((retryAfterSeconds) =>
      nextDelaySeconds([{ code: 'RATE_LIMITED', retryAfterSeconds }]),
    );
    expect(delays).to.deep.equal([0, 1, 60, null, null]);
  });

  it('returns null for a 429 without Retry-After', () => {
    expect(nextDelaySeconds([{ code: 'RATE_LIMITED' }])).to.equal(null);
  });

  it('uses the Retry-After of the latest failure', () => {
    const failures = [5, 9].map((retryAfterSeconds): Failure => ({ code: 'RATE_LIMITED', retryAfterSeconds }));
    expect(nextDelaySeconds(failures)).to.equal(9);
  });

  it('returns null after five attempts for any mixture of failures', () => {
    const failures: Failure[] = [
      { code: 'UPSTREAM_OVERLOADED' },
      { code: 'UPSTREAM_ERROR' },
      { code: 'UPSTREAM_OVERLOADED' },
      { code: 'RATE_LIMITED', retryAfterSeconds: 2 },
      { code: 'UPSTREAM_OVERLOADED' },
    ];
    const delays = failures.map((_, last) => nextDelaySeconds(failures.slice(0, last + 1)));
    expect(delays).to.deep.equal([1, 1, 2, 2, null]);
    const [overloaded, broken] = failures;
    if (overloaded === undefined || broken === undefined) throw new Error('There are two.');
    expect(nextDelaySeconds([broken, overloaded, broken]), 'the second 502, with another failure in between').to.equal(
      null,
    );
  });

  for (const code of ['TEAPOT', 'constructor', '']) {
    it(`returns null for the unknown code "${code}"`, () => {
      expect(nextDelaySeconds([{ code }])).to.equal(null);
    });
  }

  it('counts an unknown code as an attempt', () => {
    const failures = [...repeated({ code: 'UPSTREAM_OVERLOADED' }, 3), { code: 'TEAPOT' }];
    expect(nextDelaySeconds([{ code: 'TEAPOT' }, { code: 'UPSTREAM_OVERLOADED' }])).to.equal(1);
    expect(nextDelaySeconds([...failures, { code: 'UPSTREAM_OVERLOADED' }])).to.equal(null);
  });

  for (const code of errorCodes) {
    it(`returns null for ${code} once text has been received`, () => {
      expect(nextDelaySeconds([{ code, retryAfterSeconds: 7, receivedText: true }])).to.equal(null);
    });
  }

  it('returns null if there was no failure', () => {
    expect(nextDelaySeconds([])).to.equal(null);
  });
});
