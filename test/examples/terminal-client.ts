import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import process from 'node:process';
import { expect } from 'chai';
import { afterEach, before, beforeEach, describe, it } from 'mocha';
import {
  type Answer,
  answersWith,
  type FakeBackend,
  fails,
  hangsUp,
  replies,
  startFakeBackend,
} from '../../client-package/testing/fake-backend.ts';
import { retryCases, toAnswer } from '../../client-package/testing/retry-cases.ts';
import { formatAppendedError } from '../../shared/errors.ts';
import { routes } from '../../shared/interface.ts';
import { defaultReply } from '../support/scripted-provider.ts';
import { createTestApp } from '../support/test-app.ts';

type TerminalClient = { command: string; parameters: readonly string[]; directory: string };

/** The factor by which waits are shorter. */
const clockSpeed = 100;

const unfinished = /^The model could not finish the reply\. \(request [\w-]+\)$/;

/** Declares the tests of a terminal client, which follow the guide to the interface. */
export function describeTerminalClient(name: string, prepare: () => Promise<TerminalClient>) {
  describe(name, () => {
    let client: TerminalClient;

    before(async function () {
      this.timeout(180_000);
      client = await prepare();
    });

    it('continues a conversation of live chat with a session cookie', async () => {
      await using app = await createTestApp();
      const { cookie } = await app.person();
      const lines = ['Where do we start?', 'And then?'];
      const { output } = await runClient(client, { address: app.url + routes.liveChat, cookie, lines }).ended();
      expect(output).to.equal(`${defaultReply.text}\n${defaultReply.text}\n`);
      const roles = app.provider.requests.at(-1)?.body.messages.map(({ role }) => role);
      expect(roles).to.deep.equal(['user', 'assistant', 'user']);
    });

    describe('with a fake service', () => {
      let backend: FakeBackend;
      let arrivals: number[];

      beforeEach(async () => {
        backend = await startFakeBackend();
        arrivals = [];
      });
      afterEach(() => backend.close());

      function answer(...answers: Answer[]): void {
        backend.answer(
          ...answers.map((next) => (response: ServerResponse) => {
            arrivals.push(performance.now());
            next(response);
          }),
        );
      }

      const ask = (...lines: string[]) => runClient(client, { address: backend.url, lines });

      /** Returns the waits that the client prints, and asserts that none was shorter. */
      async function waitsOn(...answers: Answer[]): Promise<number[]> {
        answer(...answers);
        const { waits } = await ask('Where do we stand?').ended();
        expect(arrivals).to.have.length(waits.length + 1);
        for (const [index, seconds] of waits.entries()) {
          const [earlier = 0, later = 0] = arrivals.slice(index);
          // A timer can fire up to a millisecond early.
          expect(later - earlier).to.be.at.least((seconds * 1000) / clockSpeed - 1);
        }
        return waits;
      }

      for (const { number, title, failures, waitsSeconds } of retryCases) {
        it(`follows case ${number} of the retry table: ${title}`, async () => {
          const waits = waitsSeconds.filter((seconds) => seconds !== null);
          expect(await waitsOn(...failures.map(({ answer }) => toAnswer(answer)), replies('Week 3.'))).to.deep.equal(
            waits,
          );
        });
      }

      it('prints a wait that is too long to be automatic, and exits without waiting', async () => {
        answer(fails('RATE_LIMITED', { retryAfterSeconds: 86_400 }));
        const { ending } = await ask('Where do we stand?').ended();
        expect(ending).to.match(/^Too many requests\. Try again in 86400 s(econds)?\. \(request/);
      });

      it('uses the status if a proxy responds without a code', async () => {
        expect(await waitsOn(answersWith(503, '<h1>Unavailable</h1>'), replies('Week 3.'))).to.deep.equal([1]);
        arrivals.length = 0;
        expect(await waitsOn(answersWith(502, 'BAD_GATEWAY: Oh.'), replies('Week 3.'))).to.deep.equal([1]);
      });

      it('does not retry if the connection breaks before a response, and says so', async () => {
        answer(hangsUp);
        const { output, waits, ending } = await ask('Where do we stand?').ended();
        expect({ output, waits }).to.deep.equal({ output: '', waits: [] });
        expect(ending).to.match(/^The connection broke\. \(request [\w-]+\)$/);
      });

      it('keeps the partial reply if the connection breaks, and says so', async () => {
        const opened = backend.open();
        const asked = ask('Where do we stand?');
        const response = await opened;
        response.write('We are');
        await asked.printed('We are'.length);
        response.destroy();
        const { output, waits, ending } = await asked.ended();
        expect({ output, waits }).to.deep.equal({ output: 'We are\n', waits: [] });
        expect(ending).to.match(/^The connection broke\. /);
      });

      it('stops a reply on Ctrl-C, and keeps its text', async () => {
        const opened = backend.open();
        const asked = ask('Where do we stand?');
        const response = await opened;
        response.write('We are');
        await asked.printed('We are'.length);
        asked.interrupt();
        const { output, ending } = await asked.ended();
        expect({ output, ending }).to.deep.equal({ output: 'We are\n', ending: 'Stopped.' });
      });

      it('retries with the same request id, in the conversation that the error named', async () => {
        const conversationId = 'c123456789012345678901234';
        const ofProxy = answersWith(503, '<h1>Unavailable</h1>');
        await waitsOn(fails('UPSTREAM_OVERLOADED', { conversationId }), ofProxy, replies('Week 3.', conversationId));
        const messages = [{ role: 'user', content: 'Where do we stand?' }];
        const inConversation = { messages, conversationId };
        expect(backend.requests.map(({ body }) => body)).to.deep.equal([{ messages }, inConversation, inConversation]);
        expect(backend.requests[0]?.requestId).to.match(/^[\w-]{36}$/);
        expect(new Set(backend.requests.map(({ requestId }) => requestId)).size).to.equal(1);
      });

      it('replays earlier turns without error lines or unanswered questions', async () => {
        answer(replies(`We are${formatAppendedError('UPSTREAM_ERROR')}`), fails('INTERNAL'), replies('Week 3.'));
        const { output } = await ask('Where do we stand?', 'Why?', 'What is next?').ended();
        expect(output).to.equal('We are\nWeek 3.\n');
        expect(backend.requests.at(-1)?.body).to.deep.equal({
          messages: [
            { role: 'user', content: 'Where do we stand?' },
            { role: 'assistant', content: 'We are' },
            { role: 'user', content: 'What is next?' },
          ],
        });
        expect(new Set(backend.requests.map(({ requestId }) => requestId)).size).to.equal(3);
      });

      it('treats a blank reply as empty, and does not replay it', async () => {
        answer(replies('\n\n'), replies('Week 3.'));
        await ask('Where do we stand?', 'And now?').ended();
        expect(backend.requests.at(-1)?.body).to.deep.equal({ messages: [{ role: 'user', content: 'And now?' }] });
      });

      it('escapes control characters of a reply, but not line ends and tabs', async () => {
        answer(replies('We\u001b[2J are\tat\r\u009b2J\nweek 3.\u007f'));
        const { output } = await ask('Where do we stand?').ended();
        expect(output).to.equal('We\\x1b[2J are\tat\\x0d\\x9b2J\nweek 3.\\x7f\n');
      });

      it('accepts the cookie with or without its header name', async () => {
        for (const cookie of ['advisory-chat=value', 'Cookie: advisory-chat=value']) {
          answer(replies('Week 3.'));
          await runClient(client, { address: backend.url, cookie, lines: ['Where do we stand?'] }).ended();
          expect(backend.requests.at(-1)?.cookie).to.equal('advisory-chat=value');
        }
      });

      it('rejects redirects and responses that are not text/plain', async () => {
        for (const other of [
          answersWith(303, '', { Location: '/api/chat' }),
          answersWith(200, '<h1>Sign in</h1>', { 'Content-Type': 'text/html' }),
          answersWith(204, ''),
        ]) {
          answer(other);
          const { output, waits, ending } = await ask('Where do we stand?').ended();
          expect({ output, waits }).to.deep.equal({ output: '', waits: [] });
          expect(ending).to.match(/^The service answered with .* \(request [\w-]+\)$/);
        }
        expect(backend.requests).to.have.length(3);
      });

      it('repeats a failed turn with the same request id on an empty line, but does not repeat a complete turn', async () => {
        answer(hangsUp, replies('Week 3.'));
        expect((await ask('Where do we stand?', '', '').ended()).output).to.equal('Week 3.\n');
        const [first, second] = backend.requests;
        expect(backend.requests).to.have.length(2);
        expect(second).to.deep.equal(first);
      });

      it('prints multibyte characters that arrive byte by byte, without the error line', async () => {
        const opened = backend.open();
        const asked = ask('Where do we stand?');
        const response = await opened;
        for (const byte of new TextEncoder().encode(`é€🧭\n\n[UPSTREAM] ${formatAppendedError('UPSTREAM_ERROR')}`)) {
          await new Promise<unknown>((resolve) => response.write(Uint8Array.of(byte), resolve));
        }
        response.end();
        const { output, ending } = await asked.ended();
        expect(output).to.equal('é€🧭\n\n[UPSTREAM] \n');
        expect(ending).to.match(unfinished);
      });
    });
  });
}

type Session = { address: string; cookie?: string; lines: readonly string[] };

function runClient({ command, parameters, directory }: TerminalClient, { address, cookie, lines }: Session) {
  const child = spawn(command, [...parameters, address], {
    cwd: directory,
    env: {
      PATH: process.env.PATH,
      ADVISORY_CHAT_CLOCK_SPEED: String(clockSpeed),
      ...(cookie !== undefined && { ADVISORY_CHAT_COOKIE: cookie }),
    },
  });
  let output = '';
  let notes = '';
  const watchers = new Set<() => void>();
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    for (const check of watchers) check();
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    notes += text;
  });
  child.stdin.end(lines.map((line) => `${line}\n`).join(''));

  return {
    /** Resolves when this many characters of replies have been printed. */
    printed: (characters: number) =>
      new Promise<void>((resolve) => {
        const check = () => {
          if (output.length >= characters) resolve();
        };
        watchers.add(check);
        check();
      }),

    interrupt: () => child.kill('SIGINT'),

    /** Resolves once the client has exited, with its output, the waits that it printed in seconds, and its last other note. */
    async ended() {
      const [code] = await once(child, 'close');
      if (code !== 0) throw new Error(`The client ended with ${code}:\n${notes}`);
      const waits: number[] = [];
      const others: string[] = [];
      for (const line of notes.split('\n').filter(Boolean)) {
        const [, seconds] = / Trying again in (\d+) s\.$/.exec(line) ?? [];
        if (seconds === undefined) others.push(line);
        else waits.push(Number(seconds));
      }
      return { output, waits, ending: others.at(-1) ?? '' };
    },
  };
}
