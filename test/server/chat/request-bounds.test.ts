import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { maxMessages } from '../../../shared/chat-requests.ts';
import { formatError, jsonSentences } from '../../../shared/errors.ts';
import { eventually } from '../../support/eventually.ts';
import { perSuite } from '../../support/per-suite.ts';
import { defaultReply } from '../../support/scripted-provider.ts';
import { createTestApp, question } from '../../support/test-app.ts';

const text = (index: number) => ({ type: 'text', text: `Block ${index}` });
const message = (index: number) => ({ role: 'user', content: `Message ${index}` });
const times = <T>(count: number, make: (index: number) => T) =>
  Array.from({ length: count }, (_, index) => make(index));

describe('a chat request', () => {
  const app = perSuite(() => createTestApp({ limits: { live: 1000, demo: 1000 } }));
  const avery = perSuite(() => app.person());
  beforeEach(() => app.provider.reset());

  const routes = [
    ['live chat', (body: unknown) => app.live(avery, body)],
    ['demo chat', (body: unknown) => app.demo(body)],
  ] as const;

  const answerOf = async (sent: Promise<Response>) => {
    const response = await sent;
    return { status: response.status, type: response.headers.get('content-type'), text: await response.text() };
  };

  const tooLarge = (sentence: string) => ({ status: 413, type: 'text/plain; charset=utf-8', text: `${sentence}\n` });

  for (const [route, ask] of routes) {
    it(`can have ${maxMessages} messages on ${route}, and gets 413 for more, whether valid or not`, async () => {
      expect((await answerOf(ask({ messages: times(maxMessages, message) }))).text).to.equal(defaultReply.text);
      for (const messages of [
        times(maxMessages + 1, message),
        times(maxMessages + 1, () => ({})),
        times(maxMessages + 1, () => null),
      ]) {
        expect(await answerOf(ask({ messages }))).to.deep.equal(
          tooLarge(`The request has more than ${maxMessages} messages.`),
        );
      }
      expect(app.provider.requests).to.have.length(1);
    });

    it(`can have ${maxMessages} content blocks in all messages on ${route}, and gets 413 for more, whether valid or not`, async () => {
      const inTwo = (block: (index: number) => unknown, count: number) => ({
        messages: [
          { role: 'user', content: times(maxMessages - 1, block) },
          { role: 'user', content: times(count - maxMessages + 1, block) },
        ],
      });
      expect((await answerOf(ask(inTwo(text, maxMessages)))).text).to.equal(defaultReply.text);
      for (const block of [text, () => ({}), () => 7]) {
        const answer = await answerOf(ask(inTwo(block, maxMessages + 1)));
        expect(answer).to.deep.equal(tooLarge(`The messages have more than ${maxMessages} content blocks in total.`));
      }
      expect(app.provider.requests).to.have.length(1);
    });
  }

  it('gets 502 on demo chat for a malformed message, and the log says which message is malformed', async () => {
    const { status } = await answerOf(app.demo({ messages: [message(0), { role: 'system', content: 'x' }] }));
    expect(status).to.equal(502);
    const { err } = (await eventually(() => app.lines.find(({ code }) => code === 'UPSTREAM_BAD_REQUEST'))) ?? {};
    expect(err)
      .to.have.nested.property('cause.message')
      .that.equals('Element 1 of messages is not a text message of the user or the assistant.');
  });

  describe('with a compressed body', () => {
    const json = JSON.stringify(question());
    const encoded: Record<string, Buffer> = { gzip: gzipSync(json), deflate: deflateSync(json) };

    const send = (encoding: string, body: Buffer) =>
      answerOf(
        fetch(`${app.url}/api/chat/demo`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json', 'Content-Encoding': encoding },
          body: new Uint8Array(body),
        }),
      );

    it('is accepted in gzip and deflate, in upper or lower case', async () => {
      for (const [encoding, body] of Object.entries(encoded)) {
        expect((await send(encoding, body)).text, encoding).to.equal(defaultReply.text);
        expect((await send(encoding.toUpperCase(), body)).text, encoding).to.equal(defaultReply.text);
      }
    });

    it('gets 400 for an unsupported encoding, for several encodings, and for one that does not match the body', async () => {
      const { encoding, inflation } = jsonSentences;
      const refused: [string, Buffer, string][] = [
        ['compress', Buffer.from(json), encoding],
        ['br', brotliCompressSync(json), encoding],
        ['deflate, gzip', gzipSync(deflateSync(json)), encoding],
      ];
      for (const [name, whole] of Object.entries(encoded)) {
        refused.push([name, Buffer.from(json), inflation], [name, whole.subarray(0, -5), inflation]);
      }
      for (const [name, body, sentence] of refused) {
        const { status, text } = await send(name, body);
        expect({ status, text }, name).to.deep.equal({
          status: 400,
          text: formatError('INVALID_JSON', undefined, sentence),
        });
      }
    });
  });

  it('gets 400 for any charset but UTF-8, because some charsets are slow to decode', async () => {
    const send = (charset: string) => answerOf(app.demo(question(), { 'Content-Type': `application/json${charset}` }));
    for (const charset of [';charset=utf-8', '; charset="UTF-8"', ' ; Charset = utf8 ; x=y', ';x=charset']) {
      expect((await send(charset)).status, charset).to.equal(200);
    }
    const refusal = formatError('INVALID_JSON', undefined, jsonSentences.charset);
    for (const charset of ['utf-7', 'utf-16', '"utf-16"', 'latin1', 'utf-80', 'utf-8; charset=utf-7', '']) {
      const { status, text } = await send(`; charset=${charset}`);
      expect([status, text], charset).to.deep.equal([400, refusal]);
    }
  });
});
