import { ReadableStream } from 'node:stream/web';
import { expect } from 'chai';
import { before, describe, it } from 'mocha';
import { formatAppendedError } from '../../shared/errors.ts';
import { promptVersion, routes } from '../../shared/interface.ts';
import { readDocument } from '../support/document.ts';
import { ofSuite } from '../support/of-suite.ts';
import { defaultReply } from '../support/scripted-provider.ts';
import { hasCurl, runExample } from '../support/shell-example.ts';
import { createTestApp, post, question } from '../support/test-app.ts';

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

    it('of a body goes on in a conversation', async () => {
      const first = await app.live(avery, question());
      const conversationId = first.headers.get('x-conversation-id');
      await first.text();
      const body = JSON.parse(guide.codeUnder('## Conversations', 'json'));
      const next = await app.live(avery, { ...body, conversationId });
      expect(next.headers.get('x-conversation-id')).to.equal(conversationId);
      expect(await next.text()).to.equal(defaultReply.text);
    });

    /** The blocks of JSON in a section. */
    const examplesUnder = (heading: string) =>
      [...guide.sectionUnder(heading).matchAll(/^```json\n([\s\S]*?)^```$/gm)].map(([, text = '']) => JSON.parse(text));

    it('of the state of a session has its shape', async () => {
      const [example] = examplesUnder('## Sign-in');
      const response = await avery.browser.request(routes.session);
      const { user, providers } = await response.json();
      const { id, organization } = example.user;
      const told = { ...user, id, organization: { ...user.organization, id: organization.id } };
      expect({ user: told, providers }).to.deep.equal(example);
    });

    it('of onboarding are answered like that', async () => {
      const newcomer = await app.person({ provider: 'github', who: 'avery@example.com', onboarded: false });
      const send = (form: unknown) => post(app.url + routes.onboarding, form, { Cookie: newcomer.cookie });
      const [whole, complaints] = examplesUnder('## Onboarding');
      const [, faulty = ''] = /To `([^`]*)`/.exec(guide.sectionUnder('## Onboarding')) ?? [];
      const refused = await send(JSON.parse(faulty));
      expect([refused.status, await refused.json()]).to.deep.equal([422, complaints]);
      expect((await send(whole)).status).to.equal(204);
    });

    it('of an invitation ask and answer like that', async () => {
      const host = await app.person({ provider: 'google', who: 'blake@example.com', onboarded: false });
      const { id, name } = host.user.organization;
      const { token: invitation } = await app.storage.administration.invite({ days: 14, organization: id });
      const joiner = await app.person({ provider: 'microsoft', who: 'drew@example.com', onboarded: false });
      const send = (body: object) => post(app.url + routes.join, body, { Cookie: joiner.cookie });
      const [asked, yes] = examplesUnder('## Invitations');
      const answer = await (await send({ invitation })).json();
      expect(answer.to).to.deep.equal({ id, name });
      expect(Object.keys(asked)).to.deep.equal(Object.keys(answer));
      expect(yes).to.deep.equal({ invitation: 'TOKEN', from: asked.from.id, to: asked.to.id });
      expect((await send({ ...yes, invitation, from: answer.from.id, to: answer.to.id })).status).to.equal(204);
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
