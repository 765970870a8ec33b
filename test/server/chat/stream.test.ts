import { expect } from 'chai';
import { after, before, beforeEach, describe, it } from 'mocha';
import { rawExchange } from '../../support/raw-http.ts';
import { createTestApp, question, type TestApp } from '../../support/test-app.ts';

describe('the stream', () => {
  let app: TestApp;

  before(async () => {
    app = await createTestApp({ limits: { demo: 1000 } });
  });
  beforeEach(() => app.provider.reset());
  after(() => app.close());

  function raw(body: unknown = question(), headers: string[] = []) {
    const text = JSON.stringify(body);
    return rawExchange(
      app.url,
      `${['POST /api/chat/demo HTTP/1.1', 'Host: localhost', 'Connection: close', ...headers].join('\r\n')}\r\n`,
      `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n`,
      text,
    );
  }

  it('is one chunk for each delta, in order, never merged, split or compressed', async () => {
    const deltas = Array.from({ length: 500 }, (_, index) => `delta ${index} `);
    app.provider.answerWith({ steps: deltas.map((text) => ({ text })) });
    const [head = '', body = ''] = (
      await raw(question(), ['Accept-Encoding: gzip', 'Accept: text/event-stream'])
    ).split(/\r\n\r\n(.*)/s);
    expect(head).not.to.match(/content-encoding/i);
    const chunks = deltas.map((delta) => `${delta.length.toString(16)}\r\n${delta}\r\n`);
    expect(body).to.equal(`${chunks.join('')}0\r\n\r\n`);
  });

  it('reaches the client before the provider has ended', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    app.provider.answerWith({ steps: [{ text: 'first' }, { wait: promise }, { text: ' last' }] });
    const reader = (await app.demo(question())).body?.pipeThrough(new TextDecoderStream()).getReader();
    expect((await reader?.read())?.value).to.equal('first');
    expect(app.provider.open).to.equal(1);
    resolve();
    expect((await reader?.read())?.value).to.equal(' last');
    expect((await reader?.read())?.done).to.equal(true);
  });

  it('passes any Unicode on as it was sent', async () => {
    const odd = 'NUL \0, lone \ud800, 4 bytes 𝄞, right to left שלום';
    app.provider.answerWith(({ body }) => {
      const asked = JSON.stringify(body);
      return { steps: [{ text: asked.includes('\\ud800') && asked.includes('\\u0000') ? '𝄞 שלום' : 'changed' }] };
    });
    expect(await (await app.demo(question(odd))).text()).to.equal('𝄞 שלום');
  });

  it('answers an empty reply with headers and no text', async () => {
    app.provider.answerWith({ steps: [] });
    const response = await app.demo(question());
    expect(response.status).to.equal(200);
    expect(await response.text()).to.equal('');
  });
});
