import { expect } from 'chai';
import { describe, it } from 'mocha';
import { findNonEphemeralPort } from '../support/non-ephemeral-port.ts';

describe('the port of a contender', () => {
  it('differs from those of the contenders that start at the same time', async () => {
    const ports = await Promise.all(Array.from({ length: 5 }, findNonEphemeralPort));
    expect(new Set(ports)).to.have.lengthOf(5);
  });
});
