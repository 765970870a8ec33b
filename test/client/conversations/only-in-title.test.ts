import { expect } from 'chai';
import { describe, it } from 'mocha';
import { isOnlyInTitle } from '../../../client/conversations/only-in-title.ts';
import { inARow, turn } from '../chat/turns.ts';

const longQuestion = `Foundry? ${'More words. '.repeat(20)}`;

/** Returns whether a search result with the words `match` in the first turn matches only the title. */
function isTitleMatch(match: string, turns: ReturnType<typeof inARow>): boolean {
  const [first] = turns;
  return isOnlyInTitle({ match, turnId: first?.id ?? '' }, turns);
}

describe('a search result', () => {
  it('matches only the title if the words occur nowhere but at the start of the first question', () => {
    expect(isTitleMatch('foundry', inARow(turn('Foundry?', 'Week 1.'), turn('And then?', 'Week 2.')))).to.equal(true);
  });

  it('matches the text if the words also occur in a reply, a later question or beyond the title', () => {
    expect(isTitleMatch('foundry', inARow(turn('Foundry?', 'The foundry waits.')))).to.equal(false);
    expect(isTitleMatch('foundry', inARow(turn('Foundry?', 'Week 1.'), turn('Which foundry?', '')))).to.equal(false);
    expect(isTitleMatch('foundry', inARow(turn(`${longQuestion} Foundry?`, 'Week 1.')))).to.equal(false);
    expect(isTitleMatch('week', inARow(turn('Foundry?', 'Week 1.')))).to.equal(false);
  });
});
