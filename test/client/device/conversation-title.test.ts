import { expect } from 'chai';
import { describe, it } from 'mocha';
import { nameOf, titleOf } from '../../../client/device/conversation-title.ts';

describe('titleOf', () => {
  for (const [text, title] of [
    ['Compare lead times.', 'Compare lead times'],
    ['What should be on the agenda? It is on Friday.', 'What should be on the agenda?'],
    ['Compare these weeks:\n- 31\n- 32', 'Compare these weeks'],
    ['Hi. Where do \twe stand?', 'Hi. Where do we stand?'],
    ['Where is Dr. Smith today?', 'Where is Dr. Smith today?'],
    ['Where does Mrs. Smith sit?', 'Where does Mrs. Smith sit?'],
    ['Wait...', 'Wait...'],
    ['リードタイムの大半は待ち時間です。次に何をしますか。', 'リードタイムの大半は待ち時間です'],
    ['Which of the hypotheses that we wrote down on Monday hold?', 'Which of the hypotheses that we wrote down on…'],
    ['Tell me about the waiting time before the furnace (the big one).', 'Tell me about the waiting time before the…'],
    [`See ${'x'.repeat(60)}`, `See ${'x'.repeat(43)}…`],
    ['', ''],
  ] as const) {
    it(`returns ${JSON.stringify(title)} for ${JSON.stringify(text)}`, () => expect(titleOf(text)).to.equal(title));
  }

  for (const character of ['🇩🇪', '👩‍👩‍👧‍👦', '👍🏽', 'क्षि', 'e\u0301']) {
    it(`cuts a long title between characters such as ${character}`, () => {
      expect(titleOf(character.repeat(100))).to.equal(`${character.repeat(47)}…`);
      expect(titleOf(character.repeat(48))).to.equal(character.repeat(48));
    });
  }

  it('skips any amount of white space before the text', () => {
    expect(titleOf(`${'\n'.repeat(5000)}Compare lead times.`)).to.equal('Compare lead times');
  });
});

describe('nameOf', () => {
  it('keeps the sentences that the user typed, on one line, and cuts them at 80 characters', () => {
    expect(nameOf(' Visit.\n South plant. ')).to.equal('Visit. South plant.');
    expect(nameOf('é'.repeat(81))).to.equal(`${'é'.repeat(79)}…`);
  });
});
