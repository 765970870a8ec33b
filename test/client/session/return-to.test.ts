import { expect } from 'chai';
import { describe, it } from 'mocha';
import {
  providerUrl,
  readReturnTo,
  readReturnToAfterOnboarding,
  signInUrl,
} from '../../../client/session/return-to.ts';

describe('readReturnTo', () => {
  it('returns the page that required the sign-in', () => {
    expect(signInUrl('/onboarding')).to.equal('/sign-in?returnTo=/onboarding');
    expect(readReturnTo('returnTo=/onboarding')).to.equal('/onboarding');
  });

  it('returns the page of a conversation', () => {
    expect(readReturnTo('returnTo=/c/4f7c2a0e-5f0e')).to.equal('/c/4f7c2a0e-5f0e');
  });

  for (const search of [
    '',
    'returnTo=',
    'returnTo=//evil.example',
    'returnTo=https://evil.example/',
    'returnTo=/\\evil',
    'returnTo=/c/../api/chat',
    'returnTo=//evil.example/c/one',
  ]) {
    it(`returns the chat page for "${search}"`, () => {
      expect(readReturnTo(search)).to.equal('/chat');
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
