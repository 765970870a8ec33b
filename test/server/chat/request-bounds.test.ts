import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { ofSuite } from '../../support/of-suite.ts';
import { defaultReply } from '../../support/scripted-provider.ts';
import { createTestApp, question } from '../../support/test-app.ts';

const most = 10;

const text = (index: number) => ({ type: 'text', text: `Block ${index}` });
const message = (index: number) => ({ role: 'user', content: `Message ${index}` });
const times = <T>(count: number, make: (index: number) => T) =>
  Array.from({ length: count }, (_, index) => make(index));

describe('a request whose cost is bounded', () => {
  const app = ofSuite(() => createTestApp({ maxMessages: most, limits: { live: 1000, demo: 1000 } }));
  const avery = ofSuite(() => app.person());
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
    it(`may have as many messages as there may be on ${route}, and not one more, whatever they are`, async () => {
      expect((await answerOf(ask({ messages: times(most, message) }))).text).to.equal(defaultReply.text);
      for (const messages of [times(most + 1, message), times(most + 1, () => ({})), times(most + 1, () => null)]) {
        expect(await answerOf(ask({ messages }))).to.deep.equal(tooLarge('There are more than 10 messages.'));
      }
      expect(app.provider.requests).to.have.length(1);
    });

    it(`may have as many content blocks in all on ${route}, and not one more, whatever they are`, async () => {
      const inTwo = (block: (index: number) => unknown, count: number) => ({
        messages: [
          { role: 'user', content: times(most - 1, block) },
          { role: 'user', content: times(count - most + 1, block) },
        ],
      });
      expect((await answerOf(ask(inTwo(text, most)))).text).to.equal(defaultReply.text);
      for (const block of [text, () => ({}), () => 7]) {
        const answer = await answerOf(ask(inTwo(block, most + 1)));
        expect(answer).to.deep.equal(tooLarge('The messages have more than 10 content blocks in all.'));
      }
      expect(app.provider.requests).to.have.length(1);
    });
  }

  it('is bounded as it comes over the wire too, where it inflates to less', async () => {
    await using small = await createTestApp({ shared: { storage: app.storage }, maxBodyBytes: 1000 });
    const body = gzipSync(JSON.stringify(question()));
    // Members of nothing: they inflate to no byte, however many come.
    const empty = Buffer.concat(times(100, () => gzipSync('')));
    const send = (...parts: Buffer[]) =>
      answerOf(
        fetch(`${small.url}/api/chat/demo`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' },
          body: Buffer.concat(parts),
        }),
      );
    expect((await send(body)).text).to.equal(defaultReply.text);
    expect(await send(body, empty)).to.deep.equal(tooLarge('The request body is over 1000 bytes.'));
    expect(small.provider.requests).to.have.length(1);
  });

  it('is read as UTF-8 alone: another charset costs more to read than the text to parse', async () => {
    const send = async (charset: string) =>
      (await app.demo(question(), { 'Content-Type': `application/json${charset}` })).status;
    for (const charset of [';charset=utf-8', '; charset="UTF-8"', ' ; Charset = utf8 ; x=y', ';x=charset']) {
      expect(await send(charset), charset).to.equal(200);
    }
    for (const charset of ['utf-7', 'utf-16', '"utf-16"', 'latin1', 'utf-80', 'utf-8; charset=utf-7', '']) {
      expect(await send(`; charset=${charset}`), charset).to.equal(400);
    }
  });
});
