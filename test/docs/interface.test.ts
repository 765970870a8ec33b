import { expect } from 'chai';
import { after, before, beforeEach, describe, it } from 'mocha';
import { loadConfig } from '../../server/config/config.ts';
import { demoErrorCodes, errors, formatError } from '../../shared/errors.ts';
import { routes } from '../../shared/interface.ts';
import { errorCodes } from '../shared/error-codes.ts';
import { retryTable } from '../shared/retry-table.ts';
import { code, readDocument, readText } from '../support/document.ts';
import { defaultReply, errorEvent } from '../support/scripted-provider.ts';
import { hasCurl, runExample } from '../support/shell-example.ts';
import { createTestApp, question, type TestApp } from '../support/test-app.ts';
import { openapi, operationOf } from './openapi-document.ts';
import { ask } from './reply-reader.ts';

const guide = readDocument('docs/interface.md');

describe('docs/interface.md', () => {
  it('shows every error with its status and where it occurs', () => {
    const rows = guide.tableUnder('## Errors').map((cells) => cells.slice(0, 3));
    expect(rows).to.deep.equal(
      errorCodes.map((name) => [
        String(errors[name].status),
        code(formatError(name, name === 'RATE_LIMITED' ? 42 : undefined)),
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
      String(operationOf(path)['x-model'].maxTokens),
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

  describe('its examples', () => {
    let app: TestApp;
    let avery: Awaited<ReturnType<TestApp['person']>>;

    before(async () => {
      app = await createTestApp({ limits: { demo: 1000 } });
      avery = await app.person();
    });
    beforeEach(() => app.provider.reset());
    after(() => app.close());

    async function read(body: object) {
      const pieces: string[] = [];
      const reply = await ask(app.url + routes.demoChat, body, (text) => pieces.push(text));
      return { reply, shown: pieces.join('') };
    }

    it('of a reader gives the whole reply', async () => {
      const { text } = defaultReply;
      const reply = { text, failed: false, conversationId: null };
      expect(await read(question())).to.deep.equal({ reply, shown: text });
    });

    it('of a reader takes the error off a reply that failed after its first text', async () => {
      app.provider.answerWith({ steps: [{ text: 'Half' }, errorEvent('api_error')] });
      const { reply } = await read(question());
      expect(reply).to.deep.equal({ text: 'Half', failed: true, conversationId: null });
    });

    it('of a reader rejects with the error that has a status of its own', async () => {
      const error = await read({ messages: [] }).catch((reason: unknown) => reason);
      expect(error)
        .to.be.instanceOf(Error)
        .and.include({ message: formatError('MISSING_MESSAGES') });
    });

    it('of a reader rejects where the connection breaks', async () => {
      app.provider.answerWith({ steps: [{ text: 'Half' }, { wait: new Promise(() => {}) }] });
      const reading = ask(app.url + routes.demoChat, question(), () => app.server.closeAllConnections());
      const error = await reading.catch((reason: unknown) => reason);
      expect(error).to.be.instanceOf(Error);
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
        const example = guide.codeUnder('## Live chat', 'bash').replace('advisory-chat=PASTE-THE-VALUE', avery.cookie);
        const output = await runExample(example, app.url);
        expect(output).to.match(/^HTTP\/1.1 200 OK\r\n/);
        expect(output)
          .to.include('\r\nX-Prompt-Version: 1.0.0\r\n')
          .and.match(/\r\nX-Conversation-Id: c\w{24}\r\n/);
        expect(output.split('\r\n\r\n')[1]).to.equal(defaultReply.text);
      });
    }
  });
});
