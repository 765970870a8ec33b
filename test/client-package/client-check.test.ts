import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { type Clock, systemClock } from '../../client/chat/clock.ts';
import { createConversation } from '../../client-package/conversation.ts';
import { checkCase, commandClient, type RunClient } from '../../client-package/testing/client-check.ts';
import { type RetryCase, retryCases } from '../../client-package/testing/retry-cases.ts';
import { root, temporaryDirectory } from '../support/served-process.ts';
import { checkRepeatedly, runConcurrently } from './run-concurrently.ts';
import { runClient } from './small-client.ts';

/** Slow enough that a wait of 60 seconds exceeds the second of real time that a client may need. */
const clockSpeed = 40;

const jobs = 12;

const numbered = (number: number) => retryCases.find((each) => each.number === number) as RetryCase;

const runConversation: RunClient = async ({ url, questions, clockSpeed }) => {
  const clock: Clock = {
    ...systemClock,
    steadyNow: () => systemClock.steadyNow() * clockSpeed,
    after: (milliseconds, ...action) => systemClock.after(milliseconds / clockSpeed, ...action),
  };
  const conversation = createConversation({ url, clock });
  const results = [];
  for (const question of questions) {
    const outcome = await (question === '' ? conversation.tryAgain() : conversation.send(question));
    const { reply = '' } = conversation.getState().turns.at(-1) ?? {};
    results.push({ reply, complete: outcome?.type === 'done' });
  }
  return results;
};

/**
 * A change of the small client, the case that it fails, the difference that the case reports, and the speed of the clock. A client that
 * waits too little is checked at a low speed: on a busy machine it is late, and at a high speed it would have waited long enough.
 */
type WrongClient = [title: string, from: string, to: string, number: number, difference: RegExp, speed?: number];

const decodes = 'turn.reply += decoder.decode(bytes, { stream: true });';
const endsWithLine = 'turn.reply.endsWith(errorLine)';
const sendsAgain = /^sent the first question 2 times instead of once$/;
const doesNotRetry = /^sent the first question once instead of 2 times$/;
const blocks = /^sent the question "And then\?" 0 times instead of once$/;

// biome-ignore format: one line for each client
const wrongClients: WrongClient[] = [
  ['sends a new request id with each attempt', `'X-Request-Id': turn.id`, `'X-Request-Id': crypto.randomUUID()`, 9, /^request 2 has a different X-Request-Id than the first attempt$/],
  ['sends a new request id when the user asks again', 'id: last?.id ?? crypto.randomUUID()', 'id: crypto.randomUUID()', 61, /^request 2 has a different X-Request-Id/],
  ['sends the same request id with each turn', `'X-Request-Id': turn.id`, `'X-Request-Id': 'turn'`, 45, /^request 2 has the X-Request-Id of an earlier turn$/],
  ['sends no request id', `, 'X-Request-Id': turn.id`, '', 45, /^request 1 has no X-Request-Id$/],
  ['sends a request id that the log truncates', `'X-Request-Id': turn.id`, `'X-Request-Id': turn.id.repeat(4)`, 45, /^request 1 has an X-Request-Id that is too long/],
  ['sends only the latest turn', 'turns.filter(', 'turns.slice(-1).filter(', 45, /^request 3 has the messages \["user: And then\?"/],
  ['sends blank replies back', `reply.trim() !== ''`, `reply !== ''`, 47, /^request 2 has the messages/],
  ['sends unanswered questions again', `reply.trim() !== ''`, 'true', 8, /^request 2 has the messages/],
  ['does not send partial replies back', 'turns.filter(({ reply }) =>', 'turns.filter(({ reply, complete }) => complete &&', 32, /^request 2 has the messages/],
  ['keeps the first id of the conversation', `response.headers.get('X-Conversation-Id') ?? conversationId`, `conversationId ?? response.headers.get('X-Conversation-Id') ?? undefined`, 51, /^request 3 has the conversationId "ci7ya/],
  ['ignores the conversation of a failed response', 'conversationId = response.headers', 'if (response.status === 200) conversationId = response.headers', 50, /^request 2 has the conversationId none instead of "ci7ya/],
  ['prefers the status to the code', 'Object.hasOwn(rules, named) ? named : codesByStatus[response.status]', 'codesByStatus[response.status] ?? named', 31, sendsAgain],
  ['ignores the status of a response without a code', ': codesByStatus[response.status]', ': undefined', 25, doesNotRetry],
  ['retries every status from 500', 'codesByStatus[response.status]', `(response.status >= 500 ? 'UPSTREAM_ERROR' : undefined)`, 28, sendsAgain],
  ['searches for the code in the whole body', '/^([A-Z_]+): /', '/([A-Z_]+): /', 52, sendsAgain],
  ['searches for the code in a page with status 502', '/^([A-Z_]+): /', '/([A-Z_]+): /', 54, /^sent the first question 3 times instead of 2 times$/],
  ['takes any text before a colon for a code', '/^([A-Z_]+): /', '/^([A-Z_]+):/', 53, sendsAgain],
  ['reads the code of a redirect', 'response.status >= 400', 'response.status !== 200', 55, sendsAgain],
  ['reads the code of a success', 'response.status >= 400', 'response.status !== 200', 56, sendsAgain],
  ['does not retry an error whose body breaks', `response.text().catch(() => '')`, 'response.text()', 44, doesNotRetry],
  ['counts the failures of all codes together', 'failures.filter((failure) => failure.code === code).length', 'failures.length', 19, /^sent the first question 2 times instead of 5 times$/],
  ['counts only failures in a row', 'failures.filter((failure) => failure.code === code).length', 'failures.length - failures.findLastIndex((failure) => failure.code !== code) - 1', 20, /^sent the first question 4 times instead of 3 times$/],
  ['has no maximum for a mixture of failures', 'failures.length >= 5 || ', '', 19, /^sent the first question 6 times instead of 5 times$/],
  ['continues to count when the user asks again', 'const failures: Failure[] = [];', 'const failures: Failure[] = (turns.failures ??= []);', 59, /^sent the first question 6 times instead of 10 times$/],
  ['waits a second every time', 'waits: [1, 2, 4, 8]', 'waits: [1, 1, 1, 1]', 9, /^waited \d\.\d s instead of [248] s before attempt [345]$/, 10],
  ['waits a minute every time', '(seconds * 1000)', '(60 * 1000)', 30, /^waited [67]\d\.\d s instead of 1 s before attempt 2$/],
  ['waits longer than a minute by itself', 'seconds <= 60', 'seconds <= 61', 14, sendsAgain],
  ['does not wait for a whole minute by itself', 'seconds <= 60', 'seconds < 60', 13, doesNotRetry],
  ['reads Retry-After of other statuses', 'response.status === 429 ? readRetryAfter(response.headers) : undefined', 'readRetryAfter(response.headers)', 41, sendsAgain],
  ['waits for the first Retry-After every time', '= failures.at(-1) ?? {}', '= { ...failures.at(-1), retryAfter: failures[0]?.retryAfter }', 12, /^waited [5-8]\.\d s instead of 9 s before attempt 3$/, 10],
  ['rounds a fraction down', 'Math.ceil(', 'Math.floor(', 37, /^waited 1\.\d s instead of 2 s before attempt 2$/, 2],
  ['retries at once after a Retry-After of 0', 'Math.max(1,', 'Math.max(0,', 36, /^waited 0\.\d s instead of 1 s before attempt 2$/, 2],
  ['does not read dates', 'if (!isNumber && !httpDate.test(value)) return', 'if (!isNumber) return', 39, doesNotRetry],
  ['compares a date with its own clock, which is behind', `= Date.parse(headers.get('Date') ?? '')`, '= Date.now()', 72, doesNotRetry],
  ['compares a date with its own clock, which is ahead', `= Date.parse(headers.get('Date') ?? '')`, '= Date.now()', 73, /^waited [1-4]\.\d s instead of 5 s before attempt 2$/, 10],
  ['treats a negative Retry-After as 1', `/^\\d+(\\.\\d+)?$/.test(value)`, `/^-?\\d+(\\.\\d+)?$/.test(value)`, 63, sendsAgain],
  ['converts Retry-After with Number', `/^\\d+(\\.\\d+)?$/.test(value)`, 'Number(value) >= 0', 64, sendsAgain],
  ['reads the exponent of a Retry-After', `/^\\d+(\\.\\d+)?$/.test(value)`, `/^[\\d.e]+$/.test(value)`, 65, sendsAgain],
  ['converts Retry-After with parseFloat', `const value = headers.get('Retry-After') ?? '';`, `const value = String(Number.parseFloat(headers.get('Retry-After') ?? ''));`, 66, sendsAgain],
  ['waits for years after a Unix time', 'if (seconds > 25 * 3600) return undefined;', '', 68, blocks],
  ['waits forever after 400 digits', 'if (seconds > 25 * 3600) return undefined;', '', 69, blocks],
  ['waits for days until a date', 'if (seconds > 25 * 3600)', 'if (isNumber && seconds > 25 * 3600)', 70, blocks],
  ['retries when the connection breaks', 'catch(() => undefined)', `catch(() => ({ code: 'UPSTREAM_ERROR', retryAfter: undefined }))`, 34, sendsAgain],
  ['takes a cut reply for a complete one', 'catch(() => undefined)', `catch(() => void (turn.complete = turn.reply !== ''))`, 33, /^turn 1 has the result \{"reply":"Week 3","complete":true\} instead of/],
  ['shows half a character of a cut reply', decodes, 'turn.bytes = [...(turn.bytes ?? []), ...bytes]; turn.reply = new TextDecoder().decode(new Uint8Array(turn.bytes));', 78, /^request 2 has the messages .*Z\ufffd/],
  ['decodes each chunk by itself', decodes, 'turn.reply += new TextDecoder().decode(bytes);', 81, /^request 2 has the messages .*\ufffd/],
  ['decodes Latin-1', `new TextDecoder('utf-8'`, `new TextDecoder('latin1'`, 79, /^request 2 has the messages .*Ã/],
  ['drops a byte order mark', 'ignoreBOM: true', 'ignoreBOM: false', 83, /^request 2 has the messages/],
  ['trims replies', 'turn.complete = ', 'turn.reply = turn.reply.trim(); turn.complete = ', 82, /^request 2 has the messages/],
  ['normalizes line ends', 'turn.complete = ', `turn.reply = turn.reply.replaceAll('\\r\\n', '\\n'); turn.complete = `, 82, /^request 2 has the messages/],
  ['keeps the error line', 'if (!turn.complete) turn.reply', 'if (turn.complete) turn.reply', 32, /^request 2 has the messages .*UPSTREAM_ERROR/],
  ['expects the error line in one chunk', `${decodes}\n      }\n      turn.complete = !${endsWithLine};`, 'turn.last = decoder.decode(bytes, { stream: true }); turn.reply += turn.last; } turn.complete = !turn.last?.endsWith(errorLine);', 76, /^request 2 has the messages .*UPSTREAM_ERROR/],
  ['finds the error line anywhere', endsWithLine, 'turn.reply.includes(errorLine)', 48, /^request 2 has the messages/],
  ['accepts a line end after the error line', endsWithLine, 'turn.reply.trimEnd().endsWith(errorLine)', 87, /^request 2 has the messages/],
  ['expects no empty line before the error line', endsWithLine, 'turn.reply.endsWith(errorLine.trim())', 86, /^request 2 has the messages/],
  ['loses text that it held back', 'turn.complete = ', `turn.reply = turn.reply.replace(/\\n\\n\\[UPSTREAM_ERROR: T$/, ''); turn.complete = `, 85, /^request 2 has the messages/],
  ['removes every error line', 'turn.reply.slice(0, -errorLine.length)', `turn.reply.replaceAll(errorLine, '')`, 88, /^request 2 has the messages/],
  ['compares the media type exactly', `/^text\\/plain *(;|$)/i.test(`, `'text/plain; charset=utf-8' === (`, 89, /^request 2 has the messages/],
  ['expects a charset', `/^text\\/plain *(;|$)/i.test(`, `/^text\\/plain *;/i.test(`, 90, /^request 2 has the messages/],
  ['does not check the media type', ' || !isText', '', 42, /^request 2 has the messages .*Not now/],
  ['accepts every success', 'response.status !== 200 || ', '', 91, /^request 2 has the messages .*Created/],
  ['follows redirects', `redirect: 'manual'`, `redirect: 'follow'`, 92, /^sent the first question \d+ times instead of once$/],
  ['has no time limit', 'setTimeout(() => connection.abort(), 120_000 / clockSpeed)', '0', 93, /^waited 2[89]\d\.\d s instead of 120 s for the next byte$/],
  ['gives up after half a minute', '120_000', '30_000', 93, /^waited [23]\d\.\d s instead of 120 s for the next byte$/],
  ['limits only the time until the headers', 'restart();\n      conversationId', 'clearTimeout(timer);\n      conversationId', 94, /^waited 2[89]\d\.\d s instead of 120 s for the next byte$/],
  ['limits only the time until the first text', 'restart();\n        turn.reply', 'clearTimeout(timer);\n        turn.reply', 95, /^waited 2[89]\d\.\d s instead of 120 s for the next byte$/],
  ['limits the time of the complete reply', 'restart();\n        turn.reply', 'turn.reply', 96, /^turn 1 has the result|^request 2 has the messages/],
];

describe('The cases of the client package', () => {
  for (const [title, run] of [
    ['a client that follows the rules', runClient],
    ['a conversation of the package', runConversation],
  ] as const) {
    it(`accept ${title}`, async () => {
      const differences = await runConcurrently(retryCases, jobs, async (each) => [
        each.title,
        await checkRepeatedly(() => checkCase(each, run, clockSpeed)),
      ]);
      expect(differences.size).to.equal(retryCases.length);
      expect([...differences].filter(([, difference]) => difference !== null)).to.deep.equal([]);
    });
  }

  it('break a response on a keep-alive connection, because fetch in Node 20 would otherwise count it as complete', async () => {
    const broken = retryCases.filter(({ failures }) => failures.some(({ answer }) => answer?.isCut));
    expect(broken).to.have.length(3);
    for (const retryCase of broken) {
      const connections: (string | null)[] = [];
      const client: RunClient = async ({ url, questions: [content] }) => {
        const body = JSON.stringify({ messages: [{ role: 'user', content }] });
        const response = await fetch(url, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body });
        connections.push(response.headers.get('connection'));
        await response.text().catch(() => {});
        return [];
      };
      await checkCase(retryCase, client, clockSpeed);
      expect(connections, retryCase.title).to.deep.equal(['keep-alive']);
    }
  });

  describe('reject a client that', () => {
    let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
    let differences: ReadonlyMap<string, string | null>;

    before(async () => {
      directory = await temporaryDirectory();
      const source = await readFile(join(root, 'test/client-package/small-client.ts'), 'utf8');
      differences = await runConcurrently(
        wrongClients,
        jobs,
        async ([title, from, to, number, expected, speed = clockSpeed], index) => {
          const parts = source.split(from);
          if (parts.length !== 2) throw new Error(`The small client has ${parts.length - 1} times: ${from}`);
          const file = join(directory.path, `client-${index}.ts`);
          await writeFile(file, parts.join(to));
          const wrong: typeof import('./small-client.ts') = await import(file);
          const check = () => checkCase(numbered(number), wrong.runClient, speed);
          return [title, await checkRepeatedly(check, (difference) => expected.test(difference ?? ''))];
        },
      );
    });
    after(() => directory.remove());

    for (const [title, , , number, difference] of wrongClients) {
      it(`${title}: case ${number}`, () => {
        expect(differences.get(title)).to.match(difference);
      });
    }
  });

  const runCommand = (script: string) =>
    commandClient([process.execPath, '--eval', script])({ url: 'http://127.0.0.1:1', questions: ['So?'], clockSpeed });

  it('read each line that a command prints as a result, except empty ones', async () => {
    const script = `
      const { ADVISORY_CHAT_URL: url, ADVISORY_CHAT_CLOCK_SPEED: speed } = process.env;
      console.log(JSON.stringify({ url, speed }) + '\\n\\nno JSON');`;
    const address = 'http://127.0.0.1:1';
    expect(await runCommand(script)).to.deep.equal([{ url: address, speed: String(clockSpeed) }, 'no JSON']);
  });

  it('run a command that exits before it has read its questions', async () => {
    const questions = ['x'.repeat(10_000_000)];
    const run = commandClient([process.execPath, '--eval', 'console.log(1)']);
    expect(await run({ url: 'http://127.0.0.1:1', questions, clockSpeed })).to.deep.equal([1]);
  });

  it('report a command that fails or is killed', async () => {
    for (const [script, expected] of [
      ['console.error("No such option."); process.exitCode = 3', 'exited with 3: No such option.'],
      ['process.kill(process.pid, "SIGKILL")', 'exited with SIGKILL: '],
    ] as const) {
      expect(await runCommand(script).catch((error) => error.message)).to.equal(expected);
    }
  });

  it('stop a command that hangs', async () => {
    const command = [process.execPath, '--eval', 'setInterval(() => {}, 1e6)'];
    const run = commandClient(command, (speed) => speed * 10);
    const failure = await run({ url: '', questions: [], clockSpeed: 20 }).catch((error) => error.message);
    expect(failure).to.equal('was stopped, because it had not ended after 0 s');
  });
});
