import { expect } from 'chai';
import { describe, it } from 'mocha';
import {
  providerUrl,
  readReturnTo,
  readReturnToAfterOnboarding,
  signInUrl,
} from '../../../client/session/return-to.ts';

describe('readReturnTo', () => {
  for (const [search, page] of [
    [signInUrl('/onboarding').replace('/sign-in?', ''), '/onboarding'],
    ['returnTo=/c/4f7c2a0e-5f0e', '/c/4f7c2a0e-5f0e'],
    ['', '/chat'],
    ['returnTo=', '/chat'],
    ['returnTo=//evil.example', '/chat'],
    ['returnTo=https://evil.example/', '/chat'],
    ['returnTo=/\\evil', '/chat'],
    ['returnTo=/c/../api/chat', '/chat'],
    ['returnTo=//evil.example/c/one', '/chat'],
  ] as const) {
    it(`returns “${page}” for “${search}”`, () => {
      expect(readReturnTo(search)).to.equal(page);
    });
  }
});

describe('readReturnToAfterOnboarding', () => {
  it('returns the page that required the sign-in, but never the onboarding page', () => {
    expect(readReturnToAfterOnboarding('returnTo=/c/4f7c2a0e-5f0e')).to.equal('/c/4f7c2a0e-5f0e');
    expect(readReturnToAfterOnboarding('returnTo=/onboarding')).to.equal('/chat');
    expect(readReturnToAfterOnboarding('')).to.equal('/chat');
  });
});

describe('providerUrl', () => {
  it('contains the page to return to, and the invitation if there is one', () => {
    expect(providerUrl('google', '/c/4f7c2a0e-5f0e')).to.equal('/auth/google?returnTo=%2Fc%2F4f7c2a0e-5f0e');
    expect(providerUrl('google', '/chat', { choosesAccount: true })).to.equal(
      '/auth/google?returnTo=%2Fchat&prompt=select_account',
    );
    expect(providerUrl('github', '/chat', { invitation: 'a&b' })).to.equal(
      '/auth/github?returnTo=%2Fchat&invitation=a%26b',
    );
  });
});
