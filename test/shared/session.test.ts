import { expect } from 'chai';
import { describe, it } from 'mocha';
import { sessionSchema } from '../../shared/session.ts';

describe('the session', () => {
  it('of a newer service can offer further providers, which are ignored', () => {
    const session = { user: null, providers: ['google', 'gitlab', 'microsoft'] };
    expect(sessionSchema.parse(session)).to.deep.equal({ user: null, providers: ['google', 'microsoft'] });
  });
});
