import { expect } from 'chai';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import {
  findTurn,
  shownPath,
  treeOf,
  versionsShown,
  withoutTurn,
  withShownTurn,
  withTurn,
} from '../../../client/chat/conversation-tree.ts';
import { anyTree, emptyTree } from './any-tree.ts';
import { inARow, turn } from './turns.ts';

const ids = (turns: readonly { id: string }[]) => turns.map(({ id }) => id);

/** `One?` has the children `Two?` and `Other?`, and `Other?` has the child `More?`. */
const [one, two] = inARow(turn('One?'), turn('Two?'));
const other = turn('Other?', 'Week 3.', { parentId: 'One?' });
const more = turn('More?', 'Week 3.', { parentId: 'Other?' });
const turns = [one, two, other, more].filter((each) => each !== undefined);

const only = { number: 1, count: 1, previousId: null, nextId: null };

describe('A conversation tree', () => {
  it('shows the path through a version that was shown last, or else the path to its latest descendant', () => {
    const goOn = turn('Go on', 'Week 3.', { parentId: 'Two?' });
    const tree = { turns: [...turns, goOn], shownId: 'Go on' };
    expect(withShownTurn(tree, 'Other?').shownId).to.equal('More?');
    expect(withShownTurn(tree, 'Two?').shownId).to.equal('Go on');
    expect(withShownTurn(tree, 'One?').shownId).to.equal('Go on');
    for (const shownId of ['Two?', 'More?'])
      expect(withShownTurn({ turns, shownId }, 'One?').shownId).to.equal(shownId);
  });

  it('shows each version with the path below it that was shown last', () => {
    const [root, ten, twenty] = inARow(turn('One?'), turn('Ten?'), turn('Twenty?', 'First.', { id: 'v1' }));
    const v2 = turn('Twenty?', 'Second.', { id: 'v2', parentId: 'Ten?' });
    const stored = [root, ten, twenty, v2].filter((each) => each !== undefined);
    const firstShown = withShownTurn({ turns: stored, shownId: 'v2' }, 'v1');
    expect(firstShown)
      .to.include({ shownId: 'v1' })
      .and.deep.include({ earlierShownIds: ['v2'] });
    const regenerated = withTurn(firstShown, turn('Ten?', 'Other.', { id: 'ten-2', parentId: 'One?' }));
    const { previousId } = versionsShown(regenerated).get('ten-2')?.reply ?? only;
    expect(previousId).to.equal('v1');
    const reworded = withTurn(regenerated, turn('Eleven?', '.', { parentId: 'One?' }));
    expect(versionsShown(reworded).get('Eleven?')?.question.previousId).to.equal('ten-2');
    const back = withShownTurn(regenerated, 'Ten?');
    expect(back)
      .to.include({ shownId: 'v1' })
      .and.deep.include({ earlierShownIds: ['v2', 'ten-2'] });

    const edited = withTurn(back, turn('Another?', '.', { parentId: 'One?' }));
    expect(versionsShown(edited).get('Another?')?.question.previousId).to.equal('v1');
    expect(withShownTurn(withShownTurn(edited, 'v2'), 'ten-2')).to.include({ shownId: 'ten-2' });
  });

  it('continues a remembered path with the turns that another tab has added to it', () => {
    const added = turn('Added?', '.', { parentId: 'More?' });
    const tree = { turns: [...turns, added, turn('Go on', '.', { parentId: 'Two?' })], shownId: 'Go on' };
    expect(withShownTurn({ ...tree, earlierShownIds: ['More?'] }, 'Other?').shownId).to.equal('Added?');
  });

  it('shows the latest other version of a removed turn, or its parent if there is none', () => {
    const tree = { turns: turns.slice(0, 3), shownId: 'Other?' };
    expect(withoutTurn(tree, 'Other?')).to.deep.equal({
      turns: turns.slice(0, 2),
      shownId: 'Two?',
      earlierShownIds: [],
    });
    expect(withoutTurn({ turns: turns.slice(0, 2), shownId: 'Two?' }, 'Two?').shownId).to.equal('One?');
    expect(withoutTurn({ turns: turns.slice(0, 1), shownId: 'One?' }, 'One?')).to.deep.equal(emptyTree);
    expect(withoutTurn({ turns, shownId: 'Two?' }, 'More?').shownId).to.equal('Two?');
  });

  it('shows the latest turn if the turn that was shown last is unknown', () => {
    expect(treeOf({ turns, shownId: 'nowhere', earlierShownIds: ['gone', 'Two?'] })).to.deep.equal({
      turns,
      shownId: 'More?',
      earlierShownIds: ['Two?'],
    });
    expect(treeOf({ turns: [], shownId: 'nowhere' })).to.deep.equal(emptyTree);
  });

  it('shows every selected version, down to a turn without children', () => {
    fc.assert(
      fc.property(anyTree, (tree) => {
        for (const { id } of tree.turns) {
          const chosen = withShownTurn(tree, id);
          expect(ids(shownPath(chosen))).to.include(id);
          expect(tree.turns.map(({ parentId }) => parentId)).not.to.include(chosen.shownId);
        }
      }),
    );
  });
});

describe('The versions of a shown turn', () => {
  it('have one entry for each distinct question, and each entry leads to the latest turn below it', () => {
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

  it('include each continuation of its reply, together with the questions after it', () => {
    const half = turn('One?', 'Wee', { id: 'half' });
    const rest = turn('Continue.', 'k 3.', { id: 'rest', parentId: 'half', isContinuation: true });
    const otherRest = turn('Continue.', 'k 4.', { id: 'rest-2', parentId: 'half', isContinuation: true });
    const next = turn('Next?', '.', { id: 'next', parentId: 'rest' });
    const asked = [half, rest, next, otherRest];
    const shown = versionsShown({ turns: asked, shownId: 'rest-2' });
    expect([...shown.keys()]).to.deep.equal(['half']);
    expect(shown.get('half')).to.deep.equal({
      question: only,
      reply: { number: 2, count: 2, previousId: 'next', nextId: null },
    });
    expect(versionsShown({ turns: asked.slice(0, 3), shownId: 'next' }).size).to.equal(0);
    const unfinished = [...asked, turn('Then?', '.', { id: 'then', parentId: 'half' })];
    expect(versionsShown({ turns: unfinished, shownId: 'then' }).get('half')?.reply).to.deep.equal({
      number: 1,
      count: 3,
      previousId: null,
      nextId: 'next',
    });
  });

  it('can all be reached step by step, forwards and backwards', () => {
    fc.assert(
      fc.property(anyTree, fc.constantFrom('question' as const, 'reply' as const), (tree, part) => {
        for (const start of shownPath(tree)) {
          const siblings = tree.turns.filter(({ parentId }) => parentId === start.parentId);
          const versions =
            part === 'question'
              ? new Set(siblings.map(({ question }) => question)).size
              : siblings.filter(({ question }) => question === start.question).length;
          let shown = tree;
          const currentTurn = () => shownPath(shown).find(({ parentId }) => parentId === start.parentId);
          const position = () => versionsShown(shown).get(currentTurn()?.id ?? '')?.[part] ?? only;
          const go = (to: 'previousId' | 'nextId') => {
            for (let id = position()[to]; id !== null; id = position()[to]) shown = withShownTurn(shown, id);
          };
          go('previousId');
          expect(position()).to.include({ number: 1, count: versions });
          go('nextId');
          expect(position()).to.include({ number: versions, count: versions });
          expect(findTurn(shown, shown.shownId)).to.not.equal(undefined);
        }
      }),
    );
  });
});
