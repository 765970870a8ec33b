import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { perSuite } from '../support/per-suite.ts';
import { createTestApp, question } from '../support/test-app.ts';

/**
 * Name, text, and stored text: PostgreSQL rejects NUL and lone surrogates. The provider rejects lone surrogates. A reply is UTF-8, in
 * which a lone surrogate is U+FFFD.
 */
const texts: readonly (readonly [string, string, string])[] = [
  ['NUL', 'before\0after', 'before\uFFFDafter'],
  ['a lone high surrogate', 'before\uD83Dafter', 'before\uFFFDafter'],
  ['a lone low surrogate at the end', 'before\uDE00', 'before\uFFFD'],
  ['characters of four bytes', '\u{1D11E} \u{1F600}\u{1F3FD}', '\u{1D11E} \u{1F600}\u{1F3FD}'],
  ['right-to-left text with directional marks', '\u202Eשלום\u202C \u200Fمرحبا', '\u202Eשלום\u202C \u200Fمرحبا'],
  ['a line of the maximum length of a demo reply', 'é'.repeat(16_380), 'é'.repeat(16_380)],
];

describe('Text', () => {
  const app = perSuite(() => createTestApp({ limits: { demo: 1000 } }));
  const avery = perSuite(() => app.person());
  beforeEach(async () => {
    app.provider.reset();
    await app.storage.rows('delete from conversations');
  });

  for (const [title, sent, stored] of texts) {
    it(`with ${title} is forwarded as Unicode, streamed as UTF-8, and stored as PostgreSQL allows`, async () => {
      app.provider.answerWith({ steps: [{ text: sent }, { text: ' and on' }] });
      const onTheWire = Buffer.from(`${sent} and on`);
      for (const send of [() => app.demo(question(sent)), () => app.live(avery, question(sent))]) {
        const reply = await send();
        expect(reply.status).to.equal(200);
        expect(Buffer.from(await reply.arrayBuffer()).toString('hex')).to.equal(onTheWire.toString('hex'));
      }
      for (const { body } of app.provider.requests) {
        const { content } = body.messages[0] ?? {};
        const forwarded = typeof content === 'string' ? content : content?.[0]?.text;
        expect(forwarded).to.equal(sent.toWellFormed());
      }
      const rows = await app.storage.rows('select role, content from chat_messages order by position');
      expect(rows.map(({ role }) => role)).to.deep.equal(['USER', 'ASSISTANT']);
      expect(rows.map(({ content }) => content)).to.deep.equal([stored, `${stored} and on`]);
    });
  }
});
