import { expect } from 'chai';
import { describe, it } from 'mocha';
import { errorCodes, errors } from '../../shared/errors.ts';
import { type Failure, nextDelaySeconds } from '../../shared/retry.ts';

const repeated = (failure: Failure, times: number) => Array.from({ length: times }, () => failure);
const limited = (retryAfterSeconds: number): Failure => ({ code: 'RATE_LIMITED', retryAfterSeconds });
const overloaded: Failure = { code: 'UPSTREAM_OVERLOADED' };
const broken: Failure = { code: 'UPSTREAM_ERROR' };
const unknown: Failure = { code: 'TEAPOT' };
const mixture = [overloaded, broken, overloaded, limited(2)];

describe('nextDelaySeconds', () => {
  for (const code of errorCodes) {
    it(`follows the rule for ${code} after repeated failures`, () => {
      const { attempts, delaysSeconds } = errors[code].retry;
      const waits = delaysSeconds === 'retry-after' ? Array<number>(attempts - 1).fill(7) : delaysSeconds;
      const failure: Failure = delaysSeconds === 'retry-after' ? { code, retryAfterSeconds: 7 } : { code };
      const delays = Array.from({ length: attempts }, (_, before) => nextDelaySeconds(repeated(failure, before + 1)));
      expect(delays).to.deep.equal([...waits, null]);
    });

    it(`returns null for ${code} once text has been received`, () => {
      expect(nextDelaySeconds([{ code, retryAfterSeconds: 7, receivedText: true }])).to.equal(null);
    });
  }

  for (const [title, failures, seconds] of [
    ['no failure', [], null],
    ['a Retry-After of 0', [limited(0)], 0],
    ['the longest Retry-After that the client waits for', [limited(60)], 60],
    ['a longer Retry-After', [limited(61)], null],
    ['a 429 without Retry-After', [{ code: 'RATE_LIMITED' }], null],
    ['two 429s, of which the latest counts', [limited(5), limited(9)], 9],
    ['one failure of each of two codes', mixture.slice(0, 2), 1],
    ['a second failure with a code, after another code', mixture.slice(0, 3), 2],
    ['four failures of three codes', mixture, 2],
    ['five failures of three codes', [...mixture, overloaded], null],
    ['a second 502, with another failure in between', [broken, overloaded, broken], null],
    ['an unknown code', [unknown], null],
    ['a code that is a property of every object', [{ code: 'constructor' }], null],
    ['an empty code', [{ code: '' }], null],
    ['an unknown code, then a known one', [unknown, overloaded], 1],
    ['five failures, one of them with an unknown code', [...repeated(overloaded, 3), unknown, overloaded], null],
  ] as [string, Failure[], number | null][]) {
    it(`returns ${seconds} after ${title}`, () => expect(nextDelaySeconds(failures)).to.equal(seconds));
  }
});
