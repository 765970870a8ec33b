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
import { playing, retryCases } from '../../client-package/testing/retry-cases.ts';
import { formatAppendedError } from '../../shared/errors.ts';
import { routes } from '../../shared/interface.ts';
import { defaultReply } from '../support/scripted-provider.ts';
import { createTestApp } from '../support/test-app.ts';

/** How a terminal client is started. */
export type TerminalClient = { command: string; parameters: readonly string[]; directory: string };

/** So many times as fast as the clock do its waits pass. */
const clockSpeed = 100;

const unfinished = /^The model could not finish the reply\. \(request [\w-]+\)$/;

/** Declares what a terminal client has to do, as the guide to the interface says. */
export function describeTerminalClient(name: string, prepare: () => Promise<TerminalClient>) {
  describe(name, () => {
    let client: TerminalClient;

    before(async function () {
      this.timeout(180_000);
      client = await prepare();
    });

    it('goes on in its conversation in live chat, with the cookie of a session', async () => {
      await using app = await createTestApp();
      const { cookie } = await app.person();
      const lines = ['Where do we start?', 'And then?'];
      const { output } = await runClient(client, { address: app.url + routes.liveChat, cookie, lines }).ended();
      expect(output).to.equal(`${defaultReply.text}\n${defaultReply.text}\n`);
      const roles = app.provider.requests.at(-1)?.body.messages.map(({ role }) => role);
      expect(roles).to.deep.equal(['user', 'assistant', 'user']);
    });

    describe('with a service that answers as it is told', () => {
      let backend: FakeBackend;
      let arrivals: number[];

      beforeEach(async () => {
        backend = await startFakeBackend();
        arrivals = [];
      });
      afterEach(() => backend.close());

      /** Queues answers, and notes when each is asked for. */
      function answer(...answers: Answer[]): void {
        backend.answer(
          ...answers.map((next) => (response: ServerResponse) => {
            arrivals.push(performance.now());
            next(response);
          }),
        );
      }

      const ask = (...lines: string[]) => runClient(client, { address: backend.url, lines });

      /** The waits that the client speaks of when it is answered like this. None has been shorter than it should be. */
      async function waitsOn(...answers: Answer[]): Promise<number[]> {
        answer(...answers);
        const { waits } = await ask('Where do we stand?').ended();
        expect(arrivals).to.have.length(waits.length + 1);
        for (const [index, seconds] of waits.entries()) {
          const [earlier = 0, later = 0] = arrivals.slice(index);
          // A timer may go off up to a millisecond early.
          expect(later - earlier).to.be.at.least((seconds * 1000) / clockSpeed - 1);
        }
        return waits;
      }

      for (const { number, title, failures, waitsSeconds } of retryCases) {
        it(`waits as case ${number} of the table says: ${title}`, async () => {
          const waits = waitsSeconds.filter((seconds) => seconds !== null);
          expect(await waitsOn(...failures.map(({ answer }) => playing(answer)), replies('Week 3.'))).to.deep.equal(
            waits,
          );
        });
      }

      it('names the wait that it leaves to the person, and does not wait for it when there is nothing more to ask', async () => {
        answer(fails('RATE_LIMITED', { retryAfterSeconds: 86_400 }));
        const { ending } = await ask('Where do we stand?').ended();
        expect(ending).to.match(/^Too many requests\. Try again in 86400 s(econds)?\. \(request/);
      });

      it('goes by the status where a proxy answers in its own words', async () => {
        expect(await waitsOn(answersWith(503, '<h1>Unavailable</h1>'), replies('Week 3.'))).to.deep.equal([1]);
        arrivals.length = 0;
        expect(await waitsOn(answersWith(502, 'BAD_GATEWAY: Oh.'), replies('Week 3.'))).to.deep.equal([1]);
      });

      it('does not retry a connection that breaks before an answer, and says so', async () => {
        answer(hangsUp);
        const { output, waits, ending } = await ask('Where do we stand?').ended();
        expect({ output, waits }).to.deep.equal({ output: '', waits: [] });
        expect(ending).to.match(/^The connection broke\. \(request [\w-]+\)$/);
      });

      it('keeps what came of a reply whose connection breaks, and says so', async () => {
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

      it('stops a reply when it is interrupted, and keeps what is there', async () => {
        const opened = backend.open();
        const asked = ask('Where do we stand?');
        const response = await opened;
        response.write('We are');
        await asked.printed('We are'.length);
        asked.interrupt();
        const { output, ending } = await asked.ended();
        expect({ output, ending }).to.deep.equal({ output: 'We are\n', ending: 'Stopped.' });
      });

      it('repeats the request id, and goes on in the conversation that a failed answer named', async () => {
        const conversationId = 'c123456789012345678901234';
        await waitsOn(fails('UPSTREAM_OVERLOADED', { conversationId }), replies('Week 3.', conversationId));
        const messages = [{ role: 'user', content: 'Where do we stand?' }];
        const [first, second] = backend.requests;
        expect([first?.body, second?.body]).to.deep.equal([{ messages }, { messages, conversationId }]);
        expect(first?.requestId).to.match(/^[\w-]{36}$/);
        expect(second?.requestId).to.equal(first?.requestId);
      });

      it('replays what was said, and neither an error line nor a question without an answer', async () => {
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

      it('takes a reply of white space for an empty one, and does not replay it', async () => {
        answer(replies('\n\n'), replies('Week 3.'));
        await ask('Where do we stand?', 'And now?').ended();
        expect(backend.requests.at(-1)?.body).to.deep.equal({ messages: [{ role: 'user', content: 'And now?' }] });
      });

      it('accepts the cookie as its value or as a whole line', async () => {
        for (const cookie of ['advisory-chat=value', 'Cookie: advisory-chat=value']) {
          answer(replies('Week 3.'));
          await runClient(client, { address: backend.url, cookie, lines: ['Where do we stand?'] }).ended();
          expect(backend.requests.at(-1)?.cookie).to.equal('advisory-chat=value');
        }
      });

      it('does not follow a redirect or take a page for a reply', async () => {
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

      it('asks again on an empty line, with the same request id, and only what did not end well', async () => {
        answer(hangsUp, replies('Week 3.'));
        expect((await ask('Where do we stand?', '', '').ended()).output).to.equal('Week 3.\n');
        const [first, second] = backend.requests;
        expect(backend.requests).to.have.length(2);
        expect(second).to.deep.equal(first);
      });

      it('prints characters whole whose bytes arrive apart, and none of an error line', async () => {
        const opened = backend.open();
        const asked = ask('Where do we stand?');
        const response = await opened;
        for (const byte of new TextEncoder().encode(`é€🧭\n\n[UPSTREAM] ${formatAppendedError('UPSTREAM_ERROR')}`)) {
          await new Promise<unknown>((written) => response.write(Uint8Array.of(byte), written));
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

/** Starts a terminal client that is asked `lines`. */
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
    for (const look of watchers) look();
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    notes += text;
  });
  child.stdin.end(lines.map((line) => `${line}\n`).join(''));

  return {
    /** Resolves when it has printed so many characters of replies. */
    printed: (characters: number) =>
      new Promise<void>((resolve) => {
        const look = () => {
          if (output.length >= characters) resolve();
        };
        watchers.add(look);
        look();
      }),

    /** Presses Ctrl-C. */
    interrupt: () => child.kill('SIGINT'),

    /** What it has printed in all, the waits in seconds that it spoke of, and what it said last, when it has ended by itself. */
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
