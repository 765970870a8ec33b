import { expect } from 'chai';
import { describe, it } from 'mocha';
import { inUnits } from '../../../client/device/device-storage.ts';

describe('A number of bytes', () => {
  for (const [bytes, said] of [
    [0, '0 kB'],
    [98_304, '98.3 kB'],
    [999_499, '999 kB'],
    [999_500, '1 MB'],
    [10_737_418, '10.7 MB'],
    [10_737_418_240, '10.7 GB'],
  ] as const) {
    it(`is said as ${said} where it is ${bytes}`, () => {
      const { value, unit } = inUnits(bytes);
      expect(value.toLocaleString('en', { style: 'unit', unit, maximumSignificantDigits: 3 })).to.equal(said);
    });
  }
});
