import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import process from 'node:process';
import { expect } from 'chai';
import { afterEach, before, beforeEach, describe, it } from 'mocha';
import { checkCase, commandClient } from '../../client-package/testing/client-check.ts';
import {
  answersWith,
  type FakeBackend,
  fails,
  failsMidway,
  hangsUp,
  replies,
  startFakeBackend,
} from '../../client-package/testing/fake-backend.ts';
import type { RetryCase } from '../../client-package/testing/retry-cases.ts';
import { routes } from '../../shared/interface.ts';
import { checkRepeatedly, runConcurrently } from '../client-package/run-concurrently.ts';
import { eventually } from '../support/eventually.ts';
import { defaultReply } from '../support/scripted-provider.ts';
import { createTestApp } from '../support/test-app.ts';

type TerminalClient = { command: string; parameters: readonly string[] };

/** The factor by which waits are shorter. At a higher one, a busy machine delays a silent connection beyond its bounds. */
const clockSpeed = 30;

const unfinished = /^The model could not finish the reply\. \(request [\w-]+\)$/;

/** Declares the tests of a terminal client, which follow the guide to the interface. */
export function describeTerminalClient(
  name: string,
  cases: readonly RetryCase[],
  prepare: () => Promise<TerminalClient>,
) {
  describe(name, () => {
    let client: TerminalClient;

    before(async () => {
      client = await prepare();
    });

    it('continues a conversation of live chat with a session cookie', async () => {
      await using app = await createTestApp();
      const { cookie } = await app.person();
      const lines = ['Where do we start?', 'And then?'];
      const session = { address: app.url + routes.liveChat, cookie, lines, speed: 1 };
      const { output } = await runClient(client, session).ended();
      expect(output).to.equal(`${defaultReply.text}\n${defaultReply.text}\n`);
      const roles = app.provider.requests.at(-1)?.body.messages.map(({ role }) => role);
      expect(roles).to.deep.equal(['user', 'assistant', 'user']);
    });

    it(`passes ${cases.length} cases of the client package`, async () => {
      const run = commandClient([client.command, ...client.parameters]);
      const differences = await runConcurrently(cases, 4, async (each) => [
        each.title,
        await checkRepeatedly(() => checkCase(each, run, clockSpeed)),
      ]);
      expect([...differences].filter(([, difference]) => difference !== null)).to.deep.equal([]);
    });

    describe('with a fake service', () => {
      let backend: FakeBackend;

      beforeEach(async () => {
        backend = await startFakeBackend();
      });
      afterEach(() => backend.close());

      const ask = (...lines: string[]) => runClient(client, { address: backend.url, lines });

      it('prints each wait', async () => {
        backend.answer(fails('UPSTREAM_OVERLOADED'), fails('UPSTREAM_OVERLOADED'), replies('Week 3.'));
        const { output, waits } = await ask('Where do we stand?').ended();
        expect({ output, waits }).to.deep.equal({ output: 'Week 3.\n', waits: [1, 2] });
      });

      it('prints a wait that is too long to be automatic, and exits without waiting', async () => {
        backend.answer(fails('RATE_LIMITED', { retryAfterSeconds: 86_400 }));
        const { ending } = await ask('Where do we stand?').ended();
        expect(ending).to.match(/^Too many requests\. Try again in 86400 s(econds)?\. \(request/);
      });

      for (const [title, end, sentence] of [
        ['if the connection breaks', (response) => response.destroy(), /^The connection broke\. \(request [\w-]+\)$/],
        ['on Ctrl-C', (_, asked) => asked.interrupt(), /^Stopped\.$/],
      ] as const satisfies [string, (response: ServerResponse, asked: Asked) => unknown, RegExp][]) {
        it(`keeps the partial reply ${title}, and says so`, async () => {
          const opened = backend.open();
          const asked = ask('Where do we stand?');
          const response = await opened;
          response.write('We are');
          await asked.printed('We are'.length);
          end(response, asked);
          const { output, waits, ending } = await asked.ended();
          expect({ output, waits }).to.deep.equal({ output: 'We are\n', waits: [] });
          expect(ending).to.match(sentence);
        });
      }

      it('says that a reply is empty or blank', async () => {
        for (const reply of ['', ' \n\n']) {
          backend.answer(replies(reply));
          expect((await ask('Where do we stand?').ended()).ending).to.equal('The reply is empty.');
        }
      });

      it('prints an error on a line of its own', async () => {
        backend.answer(failsMidway('We are'));
        const lines = ['Where do we stand?'];
        const { output } = await runClient(merged(client), { address: backend.url, lines }).ended();
        const [reply, ending, ...others] = output.split('\n');
        expect([reply, others]).to.deep.equal(['We are', ['']]);
        expect(ending).to.match(unfinished);
      });

      it('escapes control characters of a reply, but not line ends and tabs', async () => {
        backend.answer(replies('We\u001b[2J are\tat\r\u009b2J\nweek 3.\u007f'));
        const { output } = await ask('Where do we stand?').ended();
        expect(output).to.equal('We\\x1b[2J are\tat\\x0d\\x9b2J\nweek 3.\\x7f\n');
      });

      it('accepts the cookie with or without its header name', async () => {
        for (const cookie of ['advisory-chat=value', 'Cookie: advisory-chat=value']) {
          backend.answer(replies('Week 3.'));
          await runClient(client, { address: backend.url, cookie, lines: ['Where do we stand?'] }).ended();
          expect(backend.requests.at(-1)?.cookie).to.equal('advisory-chat=value');
        }
      });

      it('says that a response is no reply, or that there was none', async () => {
        const noReply = /^The service answered with .* \(request [\w-]+\)$/;
        for (const [other, sentence] of [
          [answersWith(303, '', { Location: '/api/chat' }), noReply],
          [answersWith(204, ''), noReply],
          [hangsUp, /^The connection broke\. \(request [\w-]+\)$/],
        ] as const) {
          backend.answer(other);
          const { output, ending } = await ask('Where do we stand?').ended();
          expect(output).to.equal('');
          expect(ending).to.match(sentence);
        }
      });

      it('repeats a failed turn with the same request id on an empty line, but does not repeat a complete turn', async () => {
        backend.answer(hangsUp, replies('Week 3.'));
        expect((await ask('Where do we stand?', '', '').ended()).output).to.equal('Week 3.\n');
        const [first, second] = backend.requests;
        expect(backend.requests).to.have.length(2);
        expect(second).to.deep.equal(first);
      });
    });
  });
}

type Asked = ReturnType<typeof runClient>;

/** Sends what the client prints to the standard error to its standard output, as on a terminal. */
function merged({ command, parameters }: TerminalClient): TerminalClient {
  return { command: 'sh', parameters: ['-c', 'exec "$@" 2>&1', 'sh', command, ...parameters] };
}

type Session = { address: string; cookie?: string; lines: readonly string[]; speed?: number };

function runClient({ command, parameters }: TerminalClient, { address, cookie, lines, speed = clockSpeed }: Session) {
  const child = spawn(command, [...parameters, address], {
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      ADVISORY_CHAT_CLOCK_SPEED: String(speed),
      ...(cookie !== undefined && { ADVISORY_CHAT_COOKIE: cookie }),
    },
  });
  let output = '';
  let notes = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    notes += text;
  });
  child.stdin.end(lines.map((line) => `${line}\n`).join(''));

  return {
    /** Resolves when this many characters of replies have been printed. */
    printed: (characters: number) => eventually(() => output.length >= characters || undefined),

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
