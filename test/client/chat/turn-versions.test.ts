import { expect } from 'chai';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { showing, shownPath, turnOf } from '../../../client/chat/conversation-tree.ts';
import { versionsShown } from '../../../client/chat/turn-versions.ts';
import { anyTree } from './any-tree.ts';
import { turn } from './turns.ts';

const only = { number: 1, count: 1, previousId: null, nextId: null };

describe('The versions of a shown turn', () => {
  it('are none where it is the only one in its place', () => {
    expect(versionsShown({ turns: [turn('One?')], shownId: 'One?' }).size).to.equal(0);
  });

  it('of its reply ask the same question after the same turn', () => {
    const [first, second] = ['a', 'b'].map((id) => turn('One?', id, { id }));
    const turns = [first, second].filter((each) => each !== undefined);
    expect(versionsShown({ turns, shownId: 'a' }).get('a')).to.deep.equal({
      question: only,
      reply: { number: 1, count: 2, previousId: null, nextId: 'b' },
    });
    expect(versionsShown({ turns, shownId: 'b' }).get('b')?.reply).to.deep.equal({
      number: 2,
      count: 2,
      previousId: 'a',
      nextId: null,
    });
  });

  it('of its question ask another one, and lead to the latest turn below any of its replies', () => {
    const turns = [
      turn('One?', 'First.', { id: 'a' }),
      turn('One?', 'Second.', { id: 'b' }),
      turn('Other?', '.', { id: 'c' }),
      turn('Go on', '.', { id: 'd', parentId: 'a' }),
    ];
    expect(versionsShown({ turns, shownId: 'c' }).get('c')).to.deep.equal({
      question: { number: 2, count: 2, previousId: 'd', nextId: null },
      reply: only,
    });
    const shown = versionsShown({ turns, shownId: 'd' });
    expect(shown.get('a')).to.deep.equal({
      question: { number: 1, count: 2, previousId: null, nextId: 'c' },
      reply: { number: 1, count: 2, previousId: null, nextId: 'b' },
    });
    expect(shown.has('d')).to.equal(false);
  });

  it('can all be reached by going on one by one, and back again', () => {
    fc.assert(
      fc.property(anyTree, fc.constantFrom('question' as const, 'reply' as const), (tree, part) => {
        for (const start of shownPath(tree)) {
          const siblings = tree.turns.filter(({ parentId }) => parentId === start.parentId);
          const versions =
            part === 'question'
              ? new Set(siblings.map(({ question }) => question)).size
              : siblings.filter(({ question }) => question === start.question).length;
          let shown = tree;
          const here = () => shownPath(shown).find(({ parentId }) => parentId === start.parentId);
          const place = () => versionsShown(shown).get(here()?.id ?? '')?.[part] ?? only;
          const go = (to: 'previousId' | 'nextId') => {
            for (let id = place()[to]; id !== null; id = place()[to]) shown = showing(shown, id);
          };
          go('previousId');
          expect(place()).to.include({ number: 1, count: versions });
          go('nextId');
          expect(place()).to.include({ number: versions, count: versions });
          expect(turnOf(shown, shown.shownId)).to.not.equal(undefined);
        }
      }),
    );
  });
});
