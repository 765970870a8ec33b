import { expect } from 'chai';
import { describe, it } from 'mocha';
import { firstName } from '../../../client/session/first-name.ts';

describe('firstName', () => {
  for (const [name, expected] of [
    ['Robin Example', 'Robin'],
    ['Example, Robin Kim', 'Robin'],
    ['robin example', 'robin'],
    ['Robin', 'Robin'],
    ['山田太郎', '山田太郎'],
    ['ليلى مثال', 'ليلى'],
    ['casey-example', null],
    ['casey.example7', null],
    ['casey@example.com', null],
    ['Casey.Example@example.com', null],
    [null, null],
  ] as const)
    it(`returns ${JSON.stringify(expected)} for ${JSON.stringify(name)}`, () => {
      expect(firstName(name)).to.equal(expected);
    });
});
