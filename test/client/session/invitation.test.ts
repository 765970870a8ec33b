import { expect } from 'chai';
import { describe, it } from 'mocha';
import { invitationInState, readInvitation } from '../../../client/session/invitation.ts';

describe('readInvitation', () => {
  it('moves the invitation from the URL to the history state, and keeps other parameters in the URL', () => {
    expect(readInvitation('?invitation=secret')).to.deep.equal({
      historyState: { invitation: 'secret' },
      url: '/sign-in',
    });
    expect(readInvitation('?returnTo=%2Fchat&invitation=secret')?.url).to.equal('/sign-in?returnTo=%2Fchat');
  });

  it('returns undefined without an invitation', () => {
    expect(readInvitation('?returnTo=%2Fchat')).to.equal(undefined);
  });
});

describe('invitationInState', () => {
  it('returns the invitation of a history entry, and undefined for any other state', () => {
    expect(invitationInState({ invitation: 'secret' })).to.equal('secret');
    for (const state of [null, undefined, 'secret', {}, { invitation: '' }, { invitation: 5 }]) {
      expect(invitationInState(state), JSON.stringify(state)).to.equal(undefined);
    }
  });
});
