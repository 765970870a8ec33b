import { createServer } from 'node:http';
import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { expect } from 'chai';
import { after, before, beforeEach, describe, it } from 'mocha';
import { loadConfig } from '../../server/config/config.ts';
import { demoErrorCodes, errors, formatAppendedError, formatError } from '../../shared/errors.ts';
import { promptVersion, routes } from '../../shared/interface.ts';
import { errorCodes, exampleError } from '../shared/error-codes.ts';
import { retryTable } from '../shared/retry-table.ts';
import { code, readDocument, readText } from '../support/document.ts';
import { listen } from '../support/loopback.ts';
import { defaultReply, errorEvent } from '../support/scripted-provider.ts';
import { hasCurl, runExample } from '../support/shell-example.ts';
import { createTestApp, question, type TestApp } from '../support/test-app.ts';
import { openapi, operationOf } from './openapi-document.ts';
import { AnswerError, ask } from './reply-reader.ts';

const guide = readDocument('docs/interface.md');

describe('docs/interface.md', () => {
  it('shows every error with its status and where it occurs', () => {
    const rows = guide.tableUnder('## Errors').map((cells) => cells.slice(0, 3));
    expect(rows).to.deep.equal(
      errorCodes.map((name) => [
        String(errors[name].status),
        code(exampleError(name, 42)),
        demoErrorCodes.includes(name) ? 'both' : 'live',
      ]),
    );
  });

  it('prints the retry table', () => {
    expect(guide.tableUnder('## After an error')).to.deep.equal(retryTable);
  });

  it('names the limits that ship', () => {
    const { live, demo } = loadConfig({}).limits;
    const rows = [
      { path: routes.liveChat, limit: live },
      { path: routes.demoChat, limit: demo },
    ].map(({ path, limit }) => [
      code(`POST ${path}`),
      String(limit.requests),
      `${limit.windowSeconds} seconds`,
      String(operationOf(path)['x-model']?.maxTokens),
    ]);
    expect(guide.tableUnder('## Limits').map(([route, , ...numbers]) => [route, ...numbers])).to.deep.equal(rows);
  });

  it('names the session cookie as docs/openapi.yaml does', () => {
    for (const { name } of Object.values(openapi.components.securitySchemes)) expect(guide.text).to.include(code(name));
  });

  it('names as planned what docs/openapi.yaml does', () => {
    const planned = guide.text.split('## Planned, not callable')[1] ?? '';
    const [, elsewhere = ''] = openapi.info.description.split('**Planned, not callable**');
    const names = [...elsewhere.matchAll(/`([^`]+)`/g)].map(([, name]) => name).filter((name) => name !== 'paths');
    expect(names).to.have.length.above(10);
    for (const name of names) expect(planned).to.include(`\`${name}\``);
  });

  it('quotes the reader that is tested here', () => {
    expect(guide.codeUnder('## The answer', 'ts')).to.equal(readText('test/docs/reply-reader.ts'));
  });

  it('knows the error line in the words in which it is sent', () => {
    const line = formatAppendedError('UPSTREAM_ERROR');
    expect(readText('test/docs/reply-reader.ts')).to.include(`'${line.replaceAll('\n', '\\n')}'`);
    expect(guide.sectionUnder('## The answer')).to.include(code(line.trim()));
  });

  describe('its examples', () => {
    let app: TestApp;
    let avery: Awaited<ReturnType<TestApp['person']>>;

    before(async () => {
      app = await createTestApp({ limits: { demo: 1000 } });
      avery = await app.person();
    });
    beforeEach(() => app.provider.reset());
    after(() => app.close());

    const { messages } = question();
    const demo = () => app.url + routes.demoChat;

    async function read(url = demo(), options?: Parameters<typeof ask>[3]) {
      const pieces: string[] = [];
      const reply = await ask(url, messages, (text) => pieces.push(text), options);
      return { ...reply, pieces };
    }

    it('of a reader gives the whole reply', async () => {
      const { pieces, ...reply } = await read(demo(), { requestId: 'turn-1' });
      expect(reply).to.deep.equal({
        text: defaultReply.text,
        failed: false,
        requestId: 'turn-1',
        conversationId: null,
      });
      expect(pieces.join('')).to.equal(defaultReply.text);
    });

    it('of a reader sends the cookie, and goes on in a conversation', async () => {
      const { cookie } = avery;
      const { conversationId } = await read(app.url + routes.liveChat, { cookie });
      expect(conversationId).to.match(/^c\w{24}$/);
      const next = await read(app.url + routes.liveChat, { cookie, conversationId: conversationId ?? '' });
      expect(next.conversationId).to.equal(conversationId);
    });

    const half = { text: 'Half\n\n[', failed: true, shown: 'Half\n\n[' };

    it('of a reader keeps the error line to itself', async () => {
      app.provider.answerWith({ steps: [{ text: half.text }, errorEvent('api_error')] });
      const { text, failed, pieces } = await read();
      expect({ text, failed, shown: pieces.join('') }).to.deep.equal(half);
    });

    it('of a reader does so too where a network cuts the line into bytes', async () => {
      const cutting = await listen(
        createServer(async (_request, response) => {
          for (const byte of Buffer.from(half.text + formatAppendedError('UPSTREAM_ERROR'))) {
            response.write(Buffer.from([byte]));
            await turnOfTheLoop();
          }
          response.end();
        }),
      );
      const { text, failed, pieces } = await read(`http://127.0.0.1:${cutting.port}/`);
      await cutting.close();
      expect({ text, failed, shown: pieces.join('') }).to.deep.equal(half);
    });

    for (const text of [
      'A list:\n\n',
      '[UPSTREAM_ERROR: The model could not finish the reply.]',
      '\n\n[UPSTREAM_ERROR: The model could not finish the reply.]\n',
      '\n\n[INTERNAL: Something went wrong on our side.]',
      '\ufeffÄ 🙂',
    ]) {
      it(`of a reader takes ${JSON.stringify(text)} for text, whatever the chunks`, async () => {
        app.provider.answerWith({ steps: [...text].map((character) => ({ text: character })) });
        const reply = await read();
        expect([reply.text, reply.pieces.join(''), reply.failed]).to.deep.equal([text, text, false]);
      });
    }

    it('of a reader rejects with all that an error says', async () => {
      await using limited = await createTestApp({ shared: { storage: app.storage }, limits: { live: 1 } });
      const options = { cookie: avery.cookie, requestId: 'turn-2' };
      limited.provider.answerWith({ refuse: { status: 529, type: 'overloaded_error', message: 'Busy.' } });
      const errors = [];
      for (const _ of ['overloaded', 'limited']) {
        errors.push(await read(limited.url + routes.liveChat, options).catch((reason: unknown) => reason));
      }
      const [overloaded, refused] = errors;
      expect(overloaded)
        .to.be.instanceOf(AnswerError)
        .and.include({
          message: formatError('UPSTREAM_OVERLOADED'),
          status: 503,
          code: 'UPSTREAM_OVERLOADED',
          retryAfterSeconds: null,
          requestId: 'turn-2',
        });
      expect(overloaded)
        .to.have.property('conversationId')
        .that.matches(/^c\w{24}$/);
      expect(refused).to.be.instanceOf(AnswerError).and.include({
        status: 429,
        code: 'RATE_LIMITED',
        retryAfterSeconds: 60,
        requestId: 'turn-2',
        conversationId: null,
      });
    });

    it('of a reader has no code for a refusal without one', async () => {
      const error = await read(`${app.url}/api/nothing`).catch((reason: unknown) => reason);
      expect(error).to.be.instanceOf(AnswerError).and.include({ status: 404, code: null });
    });

    it('of a reader rejects where the connection breaks', async () => {
      app.provider.answerWith({ steps: [{ text: 'Half' }, { wait: new Promise(() => {}) }] });
      const reading = ask(demo(), messages, () => app.server.closeAllConnections());
      const error = await reading.catch((reason: unknown) => reason);
      expect(error).to.be.instanceOf(Error).and.not.instanceOf(AnswerError);
    });

    it('of a reader stops when it is told to', async () => {
      app.provider.answerWith({ steps: [{ text: 'Half' }, { wait: new Promise(() => {}) }] });
      const stop = new AbortController();
      const reading = ask(demo(), messages, () => stop.abort(), { signal: stop.signal });
      const error = await reading.catch((reason: unknown) => reason);
      expect(error).to.include({ name: 'AbortError' });
    });

    it('of a body goes on in a conversation', async () => {
      const first = await app.live(avery, question());
      const conversationId = first.headers.get('x-conversation-id');
      await first.text();
      const body = JSON.parse(guide.codeUnder('## Conversations', 'json'));
      const next = await app.live(avery, { ...body, conversationId });
      expect(next.headers.get('x-conversation-id')).to.equal(conversationId);
      expect(await next.text()).to.equal(defaultReply.text);
    });

    if (hasCurl) {
      it('of demo chat streams a reply', async () => {
        const output = await runExample(guide.codeUnder('## Demo chat', 'bash'), app.url);
        expect(output).to.match(/^HTTP\/1.1 200 OK\r\n/);
        expect(output.split('\r\n\r\n')[1]).to.equal(defaultReply.text);
      });

      it('of live chat does so in a conversation, with the cookie of somebody signed in', async () => {
        const [before, after] = guide.codeUnder('## Live chat', 'bash').split(/\$\(npm run --silent dev-session .*\)/);
        const output = await runExample(`${before}'Cookie: ${avery.cookie}'${after}`, app.url);
        expect(output).to.match(/^HTTP\/1.1 200 OK\r\n/);
        expect(output)
          .to.include(`\r\nX-Prompt-Version: ${promptVersion}\r\n`)
          .and.match(/\r\nX-Conversation-Id: c\w{24}\r\n/);
        expect(output.split('\r\n\r\n')[1]).to.equal(defaultReply.text);
      });
    }
  });
});
