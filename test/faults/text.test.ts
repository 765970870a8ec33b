import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { ofSuite } from '../support/of-suite.ts';
import { createTestApp, question } from '../support/test-app.ts';

/** What is said, and what of it PostgreSQL can hold. Over HTTP a lone surrogate has no bytes but those of U+FFFD. */
const texts: readonly (readonly [string, string, string])[] = [
  ['NUL', 'before\0after', 'before\uFFFDafter'],
  ['a lone high surrogate', 'before\uD83Dafter', 'before\uFFFDafter'],
  ['a lone low surrogate at the end', 'before\uDE00', 'before\uFFFD'],
  ['characters of four bytes', '\u{1D11E} \u{1F600}\u{1F3FD}', '\u{1D11E} \u{1F600}\u{1F3FD}'],
  ['text from right to left, with its marks', '\u202Eשלום\u202C \u200Fمرحبا', '\u202Eשלום\u202C \u200Fمرحبا'],
  ['a line as long as a reply of demo chat may be', 'é'.repeat(16_380), 'é'.repeat(16_380)],
];

describe('text with', () => {
  const app = ofSuite(() => createTestApp({ limits: { demo: 1000 } }));
  const avery = ofSuite(() => app.person());
  beforeEach(async () => {
    app.provider.reset();
    await app.storage.rows('delete from conversations');
  });

  for (const [what, said, stored] of texts) {
    it(`${what} is asked and streamed as it was sent, and stored as PostgreSQL can hold it`, async () => {
      app.provider.answerWith({ steps: [{ text: said }, { text: ' and on' }] });
      const onTheWire = Buffer.from(`${said} and on`);
      for (const send of [() => app.demo(question(said)), () => app.live(avery, question(said))]) {
        const reply = await send();
        expect(reply.status).to.equal(200);
        expect(Buffer.from(await reply.arrayBuffer()).toString('hex')).to.equal(onTheWire.toString('hex'));
      }
      for (const { body } of app.provider.requests) {
        const { content } = body.messages[0] ?? {};
        const asked = typeof content === 'string' ? content : content?.[0]?.text;
        expect(asked).to.equal(said);
      }
      const rows = await app.storage.rows('select role, content from chat_messages order by position');
      expect(rows.map(({ role }) => role)).to.deep.equal(['USER', 'ASSISTANT']);
      expect(rows.map(({ content }) => content)).to.deep.equal([stored, `${stored} and on`]);
    });
  }
});
