import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { perSuite } from '../support/per-suite.ts';
import { parseResponse, rawExchange } from '../support/raw-http.ts';
import { createTestApp, question } from '../support/test-app.ts';

/** The limit exceeds the deeply nested message, which has 12,000 brackets. */
const maxBodyBytes = 20_000;

describe('Hostile HTTP requests', () => {
  const app = perSuite(() => createTestApp({ maxBodyBytes, limits: { demo: 1000 } }));
  const avery = perSuite(() => app.person());

  const tooLarge = JSON.stringify(question('x'.repeat(maxBodyBytes)));
  const chunked = [tooLarge.slice(0, 100), tooLarge.slice(100)]
    .map((piece) => `${piece.length.toString(16)}\r\n${piece}\r\n`)
    .join('');
  // The body decompresses to a hundred times the limit.
  const bomb = gzipSync(JSON.stringify(question('x'.repeat(100 * maxBodyBytes)))).toString('latin1');

  for (const path of ['/api/chat', '/api/chat/demo']) {
    const request = (fields: string[], body: string) =>
      rawExchange(
        app.url,
        [
          `POST ${path} HTTP/1.1`,
          'Host: localhost',
          'Connection: close',
          'Content-Type: application/json',
          `Cookie: ${avery.cookie}`,
          ...fields,
          '',
          body,
        ].join('\r\n'),
      );

    for (const [title, fields, body] of [
      ['an oversize body', [`Content-Length: ${tooLarge.length}`], tooLarge],
      ['an oversize chunked body', ['Transfer-Encoding: chunked'], `${chunked}0\r\n\r\n`],
      ['a gzip bomb', ['Content-Encoding: gzip', `Content-Length: ${bomb.length}`], bomb],
    ] as const) {
      it(`${path} answers ${title} with 413`, async () => {
        app.provider.reset();
        const answer = parseResponse(await request([...fields], body));
        expect([answer.status, answer.body]).to.deep.equal([
          413,
          `The request body is larger than ${maxBodyBytes} bytes.\n`,
        ]);
        expect(app.provider.requests).to.have.length(0);
      });
    }

    it(`${path} answers pipelined requests in order, each with its own request id`, async () => {
      app.provider.answerWith(({ body }) => ({
        steps: [{ text: JSON.stringify(body.messages).includes('first') ? 'the first reply' : 'the second reply' }],
      }));
      const ask = (id: string, connection: string) => {
        const body = JSON.stringify(question(`the ${id} question`));
        const fields = ['Host: localhost', `Connection: ${connection}`, 'Content-Type: application/json'];
        const own = [`Cookie: ${avery.cookie}`, `X-Request-Id: ${id}`, `Content-Length: ${body.length}`];
        return `POST ${path} HTTP/1.1\r\n${[...fields, ...own].join('\r\n')}\r\n\r\n${body}`;
      };
      const raw = await rawExchange(app.url, ask('first', 'keep-alive') + ask('second', 'close'));
      expect(
        [...raw.matchAll(/^X-Request-Id: (.*)\r$|^the (.*) reply\r$/gim)].map(([, id, reply]) => id ?? reply),
      ).to.deep.equal(['first', 'first', 'second', 'second']);
    });
  }

  it('demo chat answers a message that is nested 6,000 levels deep with 502, and then works', async () => {
    app.provider.reset();
    const deep = `{"messages":[{"role":"user","content":${'['.repeat(6000)}${']'.repeat(6000)}}]}`;
    const answer = await app.demo(deep);
    expect([answer.status, await answer.text()]).to.deep.equal([
      502,
      'UPSTREAM_ERROR: The model could not finish the reply.',
    ]);
    expect((await app.demo(question())).status).to.equal(200);
  });
});
