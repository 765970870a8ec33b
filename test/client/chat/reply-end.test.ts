import { expect } from 'chai';
import { describe, it } from 'mocha';
import { mayBeTruncated } from '../../../client/chat/truncation.ts';

const maxTokens = 1000;
const prose = 'We count hours of waiting. '.repeat(80);
const japanese = '待ち時間を数えます。'.repeat(60);

describe('mayBeTruncated', () => {
  const cut: [string, string][] = [
    ['in the middle of a sentence', `${prose}The next step is to`],
    ['in the middle of a Japanese sentence', `${japanese}次の手順は`],
    ['before a list', `${prose}The next steps:`],
    ['in the middle of emphasis', `${prose}The **next`],
    ['in a row of a table', `${prose}\n\n| Week | Hours |\n|---|---|\n| 3 | 12.`],
    ['in a code block', `${prose}\n\n\`\`\`sql\nselect 1.`],
    ['in a code block within a list', `${prose}\n\n- So:\n  ~~~\n  Done.`],
  ];
  for (const [where, reply] of cut) {
    it(`returns true for a long reply that ends ${where}`, () => {
      expect(mayBeTruncated(reply, maxTokens)).to.equal(true);
    });
  }

  const whole: [string, string][] = [
    ['ends at the end of a sentence', prose],
    ['ends at the end of a Japanese sentence', japanese],
    ['ends at the end of a question in Arabic', `${prose}ما التالي؟`],
    ['ends at the end of a sentence in quotation marks and emphasis', `${prose}“*We wait.*”\n`],
    ['ends at the end of a table', `${prose}\n\n| Week | Hours |\n|---|---|\n| 3 | 12 |\n`],
    ['ends at the end of a code block', `${prose}\n\n\`\`\`sql\nselect 1\n\`\`\``],
    ['ends at the end of a formula', `${prose}\n\n$$\nx = 1\n$$`],
    ['is too short', `${prose.slice(0, 1900)}and`],
    ['is too short in Japanese', `${japanese.slice(0, 450)}次の`],
  ];
  for (const [title, reply] of whole) {
    it(`returns false for a reply that ${title}`, () => {
      expect(mayBeTruncated(reply, maxTokens)).to.equal(false);
    });
  }
});
