import { expect } from 'chai';
import { describe, it } from 'mocha';
import { systemClock } from '../../client/chat/clock.ts';
import { sendTurn } from '../../client/chat/send-turn.ts';
import { checkCase, commandClient, type RunClient } from '../../client-package/testing/client-check.ts';
import { retryCases } from '../../client-package/testing/retry-cases.ts';
import { formatAppendedError } from '../../shared/errors.ts';
import { isBlank, type Message } from '../../shared/messages.ts';

const clockSpeed = 100;

/** What a client does differently from the rules. */
type Fault = {
  alterRequest?: (headers: Headers, body: { conversationId?: string }) => void;
  alterHeaders?: (status: number, headers: Headers) => void;
  keepsErrorLine?: boolean;
  takesCutReplyForWhole?: boolean;
  sendsBlankRepliesBack?: boolean;
  doesNotWait?: boolean;
  alterResults?: (results: { reply: string; complete: boolean }[]) => unknown[];
};

const clientWith =
  (fault: Fault = {}): RunClient =>
  async ({ url, questions }) => {
    const { now, steadyNow, after } = systemClock;
    const clock = {
      now,
      steadyNow: () => steadyNow() * (fault.doesNotWait ? 1e6 : clockSpeed),
      after: (milliseconds: number, action: () => void) =>
        after(fault.doesNotWait && milliseconds <= 1000 ? 0 : milliseconds / clockSpeed, action),
    };
    const faultyFetch: typeof fetch = async (address, init) => {
      const headers = new Headers(init?.headers);
      const body = JSON.parse(String(init?.body));
      fault.alterRequest?.(headers, body);
      const response = await fetch(address, { ...init, headers, body: JSON.stringify(body) });
      const answered = new Headers(response.headers);
      fault.alterHeaders?.(response.status, answered);
      const { status } = response;
      return status === 303 ? response : new Response(response.body, { status, headers: answered });
    };
    const earlier: Message[] = [];
    const results = [];
    let conversationId: string | undefined;
    for (const question of questions) {
      let reply = '';
      const messages: Message[] = [...earlier, { role: 'user', content: question }];
      const outcome = await sendTurn(
        { url, messages, conversationId },
        {
          clock,
          fetch: faultyFetch,
          silenceSeconds: 100 * clockSpeed,
          onText: (text) => {
            reply = text;
          },
          onConversation: (id) => {
            conversationId = id;
          },
        },
      );
      const { type } = outcome;
      if (fault.keepsErrorLine && type === 'failed' && outcome.receivedText)
        reply += formatAppendedError('UPSTREAM_ERROR');
      const isTakenForWhole = fault.takesCutReplyForWhole === true && type === 'interrupted' && reply !== '';
      results.push({ reply, complete: type === 'done' || isTakenForWhole });
      const isSentBack = fault.sendsBlankRepliesBack ? type === 'done' : !isBlank(reply);
      if (isSentBack) earlier.push({ role: 'user', content: question }, { role: 'assistant', content: reply });
    }
    return fault.alterResults?.(results) ?? results;
  };

async function failedCases(client: RunClient): Promise<Record<string, string>> {
  const differences = await Promise.all(
    retryCases.map(async (each) => [each.title, await checkCase(each, client, clockSpeed)] as const),
  );
  return Object.fromEntries(differences.filter((entry): entry is [string, string] => entry[1] !== null));
}

describe('The cases of the client package', () => {
  it('accept a client that follows the rules', async () => {
    expect(await failedCases(clientWith())).to.deep.equal({});
  });

  it('break a response on a keep-alive connection, because fetch in Node 20 would otherwise count it as complete', async () => {
    const broken = retryCases.filter(({ failures }) => failures.some(({ answer }) => answer?.isCut));
    expect(broken).to.have.length(2);
    for (const retryCase of broken) {
      const connections: (string | null)[] = [];
      const client = clientWith({ alterHeaders: (_status, headers) => connections.push(headers.get('connection')) });
      expect(await checkCase(retryCase, client, clockSpeed)).to.equal(null);
      expect(connections[0], retryCase.title).to.equal('keep-alive');
    }
  });

  const uuid = () => crypto.randomUUID();
  const wrongClients: [title: string, fault: Fault, failedCase: string, difference: RegExp][] = [
    [
      'changes the request id with each attempt',
      { alterRequest: (headers) => headers.set('X-Request-Id', uuid()) },
      'five overloads',
      /^request 2 has a different X-Request-Id than the first attempt$/,
    ],
    [
      'sends no request id',
      { alterRequest: (headers) => headers.delete('X-Request-Id') },
      'a reply without a failure',
      /^request 1 has no X-Request-Id$/,
    ],
    [
      'sends the same request id with each turn',
      { alterRequest: (headers) => headers.set('X-Request-Id', 'turn') },
      'a reply without a failure',
      /^request 2 has the X-Request-Id of the previous turn$/,
    ],
    [
      'drops the conversation id',
      { alterRequest: (_, body) => delete body.conversationId },
      'a reply names the conversation of the next question',
      /^request 2 has the conversationId none instead of "ci7ya6b1mv79h6atdckfjynme"$/,
    ],
    [
      'keeps the error line',
      { keepsErrorLine: true },
      'the error line after the first text',
      /^request 2 has the messages .*UPSTREAM_ERROR.* instead of \["user: Where do we stand\?","assistant: Week 3",/,
    ],
    [
      'treats a cut reply as complete',
      { takesCutReplyForWhole: true },
      'a connection that breaks after the first text',
      /^turn 1 has the result \{"reply":"Week 3","complete":true\} instead of \{"reply":"Week 3","complete":false\}$/,
    ],
    [
      'ignores a Retry-After that is not an integer',
      { alterHeaders: (_, headers) => /^\d+$/.test(headers.get('Retry-After') ?? '') || headers.delete('Retry-After') },
      'a date in Retry-After',
      /^sent the first question once instead of 2 times$/,
    ],
    [
      'drops the fraction of Retry-After',
      {
        alterHeaders: (_, headers) =>
          headers.set('Retry-After', String(Number.parseInt(headers.get('Retry-After') ?? '', 10))),
      },
      'a fraction above the longest automatic wait',
      /^sent the first question 2 times instead of once$/,
    ],
    [
      'does not wait',
      { doesNotWait: true },
      'the longest automatic wait',
      /^waited \d+\.\d s instead of 60 s before attempt 2$/,
    ],
    [
      'does not check the media type',
      { alterHeaders: (status, headers) => status === 200 && headers.set('Content-Type', 'text/plain') },
      'an HTML page with status 200 is not a reply',
      /^request 2 has the messages .*Not now/,
    ],
    [
      'prints another reply than it received',
      { alterResults: (results) => results.map((result) => ({ ...result, reply: result.reply.toUpperCase() })) },
      'a reply without a failure',
      /^turn 1 has the result \{"reply":"WEEK 3\.","complete":true\} instead of \{"reply":"Week 3\.","complete":true\}$/,
    ],
    [
      'prints only the last result',
      { alterResults: (results) => results.slice(-1) },
      'a reply without a failure',
      /^printed 1 results instead of 2$/,
    ],
    [
      'sends blank replies back',
      { sendsBlankRepliesBack: true },
      'a blank reply is not sent back',
      /^sent the next question|^request 2 has the messages/,
    ],
  ];
  for (const [title, fault, failedCase, difference] of wrongClients) {
    it(`reject a client that ${title}`, async () => {
      const retryCase = retryCases.find((each) => each.title === failedCase);
      expect(retryCase && (await checkCase(retryCase, clientWith(fault), clockSpeed))).to.match(difference);
    });
  }

  const runCommand = (script: string) =>
    commandClient([process.execPath, '--eval', script])({
      url: 'http://127.0.0.1:1',
      questions: ['Where?'],
      clockSpeed,
    });

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

  it('report a command that fails, is killed or does not exist', async () => {
    const failure = await runCommand('console.error("No such option."); process.exitCode = 3').catch(
      (error) => error.message,
    );
    expect(failure).to.equal('exited with 3: No such option.');
    const ended = await runCommand('process.kill(process.pid, "SIGKILL")').catch((error) => error.message);
    expect(ended).to.equal('exited with SIGKILL: ');
    const missing = await commandClient(['no-such-command'])({ url: '', questions: [], clockSpeed }).catch(
      (error) => error.code,
    );
    expect(missing).to.equal('ENOENT');
  });
});
