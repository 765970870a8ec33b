import { expect } from 'chai';
import { describe, it } from 'mocha';
import { sessionSchema } from '../../shared/session.ts';

describe('sessionSchema', () => {
  it('ignores providers that only a newer service offers', () => {
    const session = { user: null, providers: ['google', 'gitlab', 'microsoft'] };
    expect(sessionSchema.parse(session)).to.deep.equal({ user: null, providers: ['google', 'microsoft'] });
  });
});
