import { expect } from 'chai';
import { describe, it } from 'mocha';
import { mayBeCut } from '../../../client/chat/turn.ts';

const maxTokens = 1000;
const prose = 'We count hours of waiting. '.repeat(80);
const japanese = '待ち時間を数えます。'.repeat(60);

describe('The end of a reply', () => {
  const cut: [string, string][] = [
    ['in the middle of a sentence', `${prose}The next step is to`],
    ['in the middle of a Japanese sentence', `${japanese}次の手順は`],
    ['before a list', `${prose}The next steps:`],
    ['in the middle of emphasis', `${prose}The **next`],
    ['in the row of a table', `${prose}\n\n| Week | Hours |\n|---|---|\n| 3 | 12.`],
    ['in a code block', `${prose}\n\n\`\`\`sql\nselect 1.`],
    ['in a code block within a list', `${prose}\n\n- So:\n  ~~~\n  Done.`],
  ];
  for (const [where, reply] of cut) {
    it(`may be where the most tokens were used up: ${where}`, () => {
      expect(mayBeCut(reply, maxTokens)).to.equal(true);
    });
  }

  const whole: [string, string][] = [
    ['is the end of a sentence', prose],
    ['is the end of a Japanese sentence', japanese],
    ['is the end of a question in Arabic', `${prose}ما التالي؟`],
    ['is the end of a sentence in quotation marks and emphasis', `${prose}“*We wait.*”\n`],
    ['is the end of a table', `${prose}\n\n| Week | Hours |\n|---|---|\n| 3 | 12 |\n`],
    ['is the end of a code block', `${prose}\n\n\`\`\`sql\nselect 1\n\`\`\``],
    ['is the end of a formula', `${prose}\n\n$$\nx = 1\n$$`],
    ['comes too early', `${prose.slice(0, 1900)}and`],
    ['comes too early for Japanese', `${japanese.slice(0, 450)}次の`],
  ];
  for (const [what, reply] of whole) {
    it(`is its own where it ${what}`, () => {
      expect(mayBeCut(reply, maxTokens)).to.equal(false);
    });
  }
});
