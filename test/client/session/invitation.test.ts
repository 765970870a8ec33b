import { expect } from 'chai';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { keptInvitation, takeInvitation } from '../../../client/session/invitation.ts';
import { providerAddress } from '../../../client/session/return-to.ts';

describe('An invitation', () => {
  it('is taken out of the address of the sign-in page, and nothing else is', () => {
    expect(takeInvitation('invitation=a%2Bb')).to.deep.equal({ entry: { invitation: 'a+b' }, address: '/sign-in' });
    expect(takeInvitation('returnTo=/chat&invitation=a&problem=expired')?.address).to.equal(
      '/sign-in?returnTo=%2Fchat&problem=expired',
    );
    expect(takeInvitation('invitation=a&invitation=b')).to.deep.equal({
      entry: { invitation: 'a' },
      address: '/sign-in',
    });
    expect(takeInvitation('returnTo=/chat')).to.equal(undefined);
  });

  for (const state of [null, undefined, 1, 'a', {}, { invitation: '' }, { invitation: 1 }]) {
    it(`is not found in the history's ${JSON.stringify(state)}`, () => {
      expect(keptInvitation(state)).to.equal(undefined);
    });
  }

  it('reaches the provider as it was sent, whatever it is, and stands for nothing else there', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (token) => {
        const taken = takeInvitation(`?returnTo=%2Fonboarding&invitation=${encodeURIComponent(token)}`);
        const invitation = keptInvitation(structuredClone(taken?.entry));
        const { pathname, searchParams, origin, hash } = new URL(
          providerAddress('google', '/onboarding', invitation),
          'https://chat.example',
        );
        expect({ origin, pathname, hash }).to.deep.equal({
          origin: 'https://chat.example',
          pathname: '/auth/google',
          hash: '',
        });
        expect([...searchParams]).to.deep.equal([
          ['returnTo', '/onboarding'],
          ['invitation', token],
        ]);
        expect(taken?.address).to.equal('/sign-in?returnTo=%2Fonboarding');
      }),
    );
  });

  it('is not named to the provider where there is none', () => {
    expect(providerAddress('github', '/chat')).to.equal('/auth/github?returnTo=%2Fchat');
  });
});
