import { ReadableStream } from 'node:stream/web';
import { expect } from 'chai';
import { before, describe, it } from 'mocha';
import { formatAppendedError } from '../../shared/errors.ts';
import { promptVersion } from '../../shared/interface.ts';
import { readDocument } from '../support/document.ts';
import { ofSuite } from '../support/of-suite.ts';
import { defaultReply } from '../support/scripted-provider.ts';
import { hasCurl, runExample } from '../support/shell-example.ts';
import { createTestApp } from '../support/test-app.ts';

const guide = readDocument('docs/interface.md');

describe('docs/interface.md', () => {
  describe('its reader of a reply', () => {
    const line = formatAppendedError('UPSTREAM_ERROR');
    let readReply: (body: ReadableStream, onText: (piece: string) => void) => Promise<object>;

    before(async () => {
      const source = guide.codeUnder('## The answer', 'js');
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
      it(`takes ${JSON.stringify(text)}${failed ? ' and the error line' : ''} as it is, whatever the chunks`, async () => {
        const bytes = Buffer.from(failed ? text + line : text);
        for (const chunks of [[...bytes].map((byte) => Uint8Array.of(byte)), [bytes]]) {
          expect(await read(ReadableStream.from(chunks))).to.deep.equal({ text, failed, shown: text });
        }
      });
    }
  });

  describe('its examples', () => {
    const app = ofSuite(() => createTestApp());
    const avery = ofSuite(() => app.person());

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
