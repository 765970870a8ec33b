import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ReadableStream } from 'node:stream/web';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { before, describe, it } from 'mocha';
import { formatAppendedError } from '../../shared/errors.ts';
import { promptVersion, routes } from '../../shared/interface.ts';
import { readDocument } from '../support/document.ts';
import { perSuite } from '../support/per-suite.ts';
import { defaultReply } from '../support/scripted-provider.ts';
import { root } from '../support/served-process.ts';
import { hasCurl, runExample } from '../support/shell-example.ts';
import { createTestApp } from '../support/test-app.ts';

const guide = readDocument('docs/interface.md');

describe('docs/interface.md', () => {
  describe('readReply', () => {
    const line = formatAppendedError('UPSTREAM_ERROR');
    let readReply: (body: ReadableStream, onText: (piece: string) => void) => Promise<object>;

    before(async () => {
      const source = guide.codeUnder('## The response', 'js');
      ({ readReply } = await import(`data:text/javascript,${encodeURIComponent(source)}`));
    });

    async function read(body: ReadableStream): Promise<object> {
      const shown: string[] = [];
      const reply = await readReply(body, (piece) => shown.push(piece));
      return { ...reply, shown: shown.join('') };
    }

    for (const [text, failed] of [
      ['A reply.', false],
      ['Half\n\n[', true],
      ['', true],
      ['A list:\n\n', false],
      [line.trim(), false],
      [`${line}\n`, false],
      [formatAppendedError('INTERNAL'), false],
      ['\ufeffÄ 🙂', false],
    ] as const) {
      it(`reads ${JSON.stringify(text)}${failed ? ' and the error line' : ''}, however the text is split into chunks`, async () => {
        const bytes = Buffer.from(failed ? text + line : text);
        for (const chunks of [[...bytes].map((byte) => Uint8Array.of(byte)), [bytes]]) {
          expect(await read(ReadableStream.from(chunks))).to.deep.equal({ text, failed, shown: text });
        }
      });
    }
  });

  describe('examples', () => {
    const app = perSuite(() => createTestApp());
    const avery = perSuite(() => app.person());

    for (const version of ['ai', 'ai-6']) {
      it(`continue a conversation on both routes with the transport of the package ${version}`, async () => {
        for (const url of [routes.demoChat, routes.liveChat]) {
          const ids = await conversationWith(version, url);
          expect(ids, url).to.deep.equal(url === routes.liveChat ? [ids[0], ids[0]] : [null, null]);
        }
      });
    }

    /** Sends two questions after a blank reply and a failed one. Returns the conversation ids of the responses. */
    async function conversationWith(version: string, url: string): Promise<(string | null)[]> {
      const ids: (string | null)[] = [];
      const { fetch } = globalThis;
      globalThis.fetch = async (...request) => {
        const response = await fetch(...request);
        ids.push(response.headers.get('X-Conversation-Id'));
        return response;
      };
      // Inside the project, so that imports resolve.
      const directory = await mkdtemp(join(root, 'test/docs/transport-'));
      try {
        const source = guide.codeUnder('## Generated clients', 'js').replace("from 'ai'", `from '${version}'`);
        const file = join(directory, 'transport.mjs');
        await writeFile(file, source);
        const transport = (await import(pathToFileURL(file).href)).createTransport(app.url + url);
        const chat: { id: string; role: string; parts: object[] }[] = [];
        const add = (role: string, text: string) =>
          chat.push({ id: `${chat.length}`, role, parts: [{ type: 'text', text }] });
        add('user', 'A question with a blank reply');
        add('assistant', ' \n');
        add('user', 'A question without a reply');
        for (const question of ['Where do we start?', 'And then?']) {
          add('user', question);
          const headers = { Cookie: avery.cookie };
          const stream = await transport.sendMessages({
            chatId: 'chat',
            messages: chat,
            trigger: 'submit-message',
            headers,
          });
          let reply = '';
          for await (const { delta = '' } of stream) reply += delta;
          expect(reply).to.equal(defaultReply.text);
          add('assistant', `${reply}${formatAppendedError('UPSTREAM_ERROR')}`);
        }
        const asked = app.provider.requests.at(-1)?.body.messages.map(({ role, content }) => [role, textOf(content)]);
        expect(asked).to.deep.equal([
          ['user', 'Where do we start?'],
          ['assistant', defaultReply.text],
          ['user', 'And then?'],
        ]);
        return ids;
      } finally {
        globalThis.fetch = fetch;
        await rm(directory, { recursive: true });
      }
    }

    if (hasCurl) {
      it('stream a reply of demo chat', async () => {
        const output = await runExample(guide.codeUnder('## Demo chat', 'bash'), app.url);
        expect(output).to.match(/^HTTP\/1.1 200 OK\r\n/);
        expect(output.split('\r\n\r\n')[1]).to.equal(defaultReply.text);
      });

      it('stream a reply of live chat with a session cookie, and return a conversation id', async () => {
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

/** Returns the text of a message's content, which the provider gets as text or as blocks. */
function textOf(content: unknown): unknown {
  return Array.isArray(content) ? content.map(({ text }) => text).join('') : content;
}
