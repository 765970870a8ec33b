import { expect } from 'chai';
import { describe, it } from 'mocha';
import { conversationInPath } from '../../../../client/pages/live-chat/address-sync.ts';
import { conversationAddress, pages } from '../../../../shared/interface.ts';

describe('conversationInPath', () => {
  it('returns the id of a conversation, null for the page of live chat, and undefined for other pages', () => {
    expect(conversationInPath(conversationAddress('4f7c2a0e-5f0e'))).to.equal('4f7c2a0e-5f0e');
    expect(conversationInPath(pages.chat)).to.equal(null);
    for (const path of [pages.demo, pages.signIn, '/c/', '/c/a/b']) {
      expect(conversationInPath(path), path).to.equal(undefined);
    }
  });
});
