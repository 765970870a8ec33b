import { expect } from 'chai';
import { describe, it } from 'mocha';
import { mayBeTruncated } from '../../../client/chat/truncation.ts';

const maxTokens = 1000;
const prose = 'We count hours of waiting. '.repeat(80);
const japanese = '待ち時間を数えます。'.repeat(60);

describe('mayBeTruncated', () => {
  for (const [where, reply] of [
    ['in the middle of a sentence', `${prose}The next step is to`],
    ['in the middle of a Japanese sentence', `${japanese}次の手順は`],
    ['before a list', `${prose}The next steps:`],
    ['in the middle of emphasis', `${prose}The **next`],
    ['in a row of a table', `${prose}\n\n| Week | Hours |\n|---|---|\n| 3 | 12.`],
    ['in a short last line', `${prose}\n\nSumma summarum`],
    ['in a short last line at exactly the maximum', `${prose.slice(0, 1984)}\n\nSumma summarum`],
    ['in a short Japanese line', `${japanese}\n\n以上`],
    ['in a short line of a text in two scripts', `${japanese.slice(0, 300)}${prose.slice(0, 900)}\n\nSumma`],
    ['in a code block', `${prose}\n\n\`\`\`sql\nselect 1.`],
    ['in a code block within a list', `${prose}\n\n- So:\n  ~~~\n  Done.`],
  ] as const) {
    it(`returns true for a long reply that ends ${where}`, () => {
      expect(mayBeTruncated(reply, maxTokens)).to.equal(true);
    });
  }

  for (const [title, reply] of [
    ['ends at the end of a sentence', prose],
    ['ends at the end of a Japanese sentence', japanese],
    ['ends at the end of a question in Arabic', `${prose}ما التالي؟`],
    ['ends at the end of a sentence in quotation marks and emphasis', `${prose}“*We wait.*”\n`],
    ['ends at the end of a table', `${prose}\n\n| Week | Hours |\n|---|---|\n| 3 | 12 |\n`],
    ['ends at the end of a code block', `${prose}\n\n\`\`\`sql\nselect 1\n\`\`\``],
    ['ends at the end of a formula', `${prose}\n\n$$\nx = 1\n$$`],
    ['ends at the end of a formula after text', `${prose}\n\nThus $$x = 1$$`],
    ['is too short', `${prose.slice(0, 1983)}\n\nSumma summarum`],
    ['is too short in Japanese', `${japanese.slice(0, 450)}\n\n以上`],
  ] as const) {
    it(`returns false for a reply that ${title}`, () => {
      expect(mayBeTruncated(reply, maxTokens)).to.equal(false);
    });
  }

  for (const reply of [
    'I can help you to compare the costs of the two suppl',
    'The rate of the first quarter was about 45',
    'The three reasons for the delay are as follows:',
    'First,',
    '- One\n- Two:',
    'The lead time is mostly wait-',
    '納期の大部分は待ち時間であり、その主な原因は',
    'وقت التسليم هو في معظمه وقت انتظار بين',
    '```sql\nselect 1',
    '| a | b |\n|---|---|\n| 1',
    '| a | b |\n|---|---|\n|',
    '> > | a | b |\n> > |---|---|\n> > | 1',
    '>| a | b |\n>|---|---|\n>| 1',
    'The lead time is mostly ---',
    '--- that is:',
    '納期の大部分は待ち時間とその原',
    'They said **the lead time of the first part',
  ]) {
    it(`returns true for a reply of any length without a mark of an end: ${JSON.stringify(reply)}`, () => {
      expect(mayBeTruncated(reply, maxTokens)).to.equal(true);
    });
  }

  for (const reply of [
    '',
    'Yes',
    'Yes  we  can  go',
    '- One\n  - The first of the items in this list',
    '42 %',
    'Paris, the capital of France',
    'The rate rose to 45 % in the last quarter.',
    '- The first of the items in this list\n- The second of the items in this list',
    '3. The third of the items in this short list',
    '## What the next steps of the project are',
    '**The total cost of all sites is 45 €**',
    'a | b\n--- | ---\nthe first of the rows | the second of the rows',
    'The energy of a body at rest is $E = mc^2$',
    'To install the package on your machine, run `npm install`',
    'You can read all of this at https://a.example/b-c',
    'You can read all of this in [the last report](https://a.example)',
    'All of the reasons are in the list (see above)',
    'As they said at the time: “We wait and wait”',
    'That is all that I wanted to say 🎉',
    'I wish you all the best for this ❤️',
    'Thank you for your question about the costs.\n\nMit freundlichen Grüßen\nAlex Example',
    '> All of the parts were late this week.',
    '納期の大部分は待ち時間であり、その主な原因は段取りです。',
    'ما هو السبب الرئيسي لهذا التأخير الطويل؟',
    'यह इस सप्ताह की सबसे बड़ी समस्या है।',
    'ต้นทุนส่วนใหญ่มาจากการรอคอยระหว่างขั้นตอนต่างๆ',
    'Do you want to know more about it?!\n\n---',
  ]) {
    it(`returns false for a short reply that can be complete: ${JSON.stringify(reply)}`, () => {
      expect(mayBeTruncated(reply, maxTokens)).to.equal(false);
    });
  }
});
