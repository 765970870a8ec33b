import { expect } from 'chai';
import { describe, it } from 'mocha';
import { withTurn } from '../../../client/chat/conversation-tree.ts';
import { laterTurnsOf } from '../../../client/turns/later-turns.ts';
import { inARow, turn } from '../chat/turns.ts';

describe('laterTurnsOf', () => {
  it('returns which other version has later turns, and the number of these turns', () => {
    const path = inARow(turn('One?'), turn('Two?'), turn('Three?'), turn('On.', '.', { isContinuation: true }));
    const long = { turns: [turn('Zero?'), ...path], shownId: 'On.' };
    expect(laterTurnsOf(long)).to.equal(null);
    const edited = withTurn(long, turn('1?', '.', { id: 'edited' }));
    expect(laterTurnsOf(edited)).to.deep.equal({ count: 2, version: 2, turnId: 'On.' });
    const regenerated = withTurn(edited, turn('1?', 'Other.', { id: 'again' }));
    expect(laterTurnsOf(regenerated)).to.deep.equal({ count: 2, version: 2, turnId: 'On.' });
    const reply = withTurn(long, turn('One?', 'Other.', { id: 'reply' }));
    expect(laterTurnsOf(reply)).to.deep.equal({ count: 2, version: 1, turnId: 'On.' });
    expect(laterTurnsOf(withTurn(reply, turn('Next?', '.', { parentId: 'reply' })))).to.equal(null);
  });

  it('returns the version that was shown last if several versions have later turns', () => {
    const path = inARow(turn('One?'), turn('Two?'), turn('Three?'));
    const tree = { turns: path, shownId: 'Three?' };
    const second = withTurn(tree, turn('One?', 'Other.', { id: 'second' }));
    const followed = withTurn(second, turn('Next?', '.', { parentId: 'second' }));
    const third = withTurn(followed, turn('One?', 'A third one.', { id: 'third' }));
    expect(laterTurnsOf(third)).to.deep.equal({ count: 1, version: 2, turnId: 'Next?' });
  });
});
