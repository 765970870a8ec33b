import { expect } from 'chai';
import { describe, it } from 'mocha';
import { toByteUnit } from '../../../client/device/device-storage.ts';

describe('toByteUnit', () => {
  for (const [bytes, formatted] of [
    [0, '0 kB'],
    [98_304, '98.3 kB'],
    [999_499, '999 kB'],
    [999_500, '1 MB'],
    [10_737_418, '10.7 MB'],
    [10_737_418_240, '10.7 GB'],
  ] as const) {
    it(`returns ${formatted} for ${bytes} bytes`, () => {
      const { value, unit } = toByteUnit(bytes);
      expect(value.toLocaleString('en', { style: 'unit', unit, maximumSignificantDigits: 3 })).to.equal(formatted);
    });
  }
});
