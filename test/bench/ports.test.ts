import { expect } from 'chai';
import { describe, it } from 'mocha';
import { findNonEphemeralPort } from '../support/non-ephemeral-port.ts';

describe('findNonEphemeralPort', () => {
  it('returns a different port to each of several concurrent callers', async () => {
    const ports = await Promise.all(Array.from({ length: 5 }, findNonEphemeralPort));
    expect(new Set(ports)).to.have.lengthOf(5);
  });
});
