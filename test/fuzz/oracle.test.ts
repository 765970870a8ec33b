import { expect } from 'chai';
import { describe, it } from 'mocha';
import { routes } from '../../shared/interface.ts';
import { root } from '../support/served-process.ts';
import type { Settled } from './app.ts';
import { complaints, type Evidence } from './oracle.ts';
import type { Case } from './requests.ts';
import { canaries } from './texts.ts';
import { responsesIn } from './wire.ts';

const answer = ({ status = 200, head = 'X-Request-Id: one\r\nContent-Type: text/plain\r\n', body = 'Well.\n' }) =>
  `HTTP/1.1 ${status} Status\r\n${head}Content-Length: ${body.length}\r\n\r\n${body}`;

const quiet: Settled = { lines: [], uncaught: [], over: true, otherUnchanged: true, ailment: undefined };

const text = { before: '{"messages":[{"role":"user","content":"x"}]}', unit: '', count: 0, between: '', after: '' };
const tried: Case = {
  mood: 'well',
  signIn: 'google',
  requests: [
    {
      method: 'POST',
      target: routes.liveChat,
      version: 'HTTP/1.1',
      host: 'localhost',
      cookie: null,
      headers: [],
      body: { content: { type: 'application/json', coding: 'none', text }, framing: { how: 'length' } },
    },
  ],
  spliced: null,
  packets: 1,
};

type Changes = { received?: string; settled?: Partial<Settled> };

function complaintsOn({ received = answer({}), settled = {} }: Changes): string[] {
  const evidence: Evidence = {
    tried,
    exchanged: { received, responses: responsesIn(received, ['POST']), answered: true, broken: false },
    settled: { ...quiet, ...settled },
    served: {
      url: 'http://localhost:3000',
      providerOrigins: ['http://127.0.0.1:4000'],
      otherSecrets: ['secret-session'],
    },
  };
  return complaints(evidence);
}

const line = (fields: object) => JSON.stringify({ level: 30, msg: 'request', ...fields });
const head = (more = '') => `X-Request-Id: one\r\nContent-Type: text/plain\r\n${more}`;

describe('the fuzzer', () => {
  it('has nothing to say about an answer that is as it should be', () => {
    const right = [
      answer({}),
      answer({ status: 400, body: 'INVALID_JSON: The request body is not valid JSON.' }),
      answer({ status: 404, body: 'There is nothing at this address.\n' }),
      answer({ status: 302, head: head('Location: /sign-in?problem=expired\r\n') }),
      answer({ status: 302, head: head('Location: http://127.0.0.1:4000/authorize\r\n') }),
    ];
    const settled = { lines: [line({ code: 'INVALID_JSON' })] };
    expect(right.flatMap((received) => complaintsOn({ received, settled }))).to.deep.equal([]);
  });

  const wrong: [title: string, changes: Changes][] = [
    ['misses an answer', { received: '' }],
    ['misses the end of a request', { settled: { over: false } }],
    ['misses a request id', { received: answer({ head: 'Content-Type: text/plain\r\n' }) }],
    ['finds two request ids', { received: answer({ head: head('X-Request-Id: two\r\n') }) }],
    ['finds bytes that are no answer', { received: `${answer({})}bytes` }],
    [
      'finds a failure without a reason',
      { received: answer({ status: 500, body: 'INTERNAL: Something went wrong on our side.' }) },
    ],
    ['finds a failure that is not in the table', { received: answer({ status: 503, body: 'Busy.\n' }) }],
    ['finds a refusal that is no sentence', { received: answer({ status: 400, body: '<html>' }) }],
    [
      'finds a redirect to another site',
      { received: answer({ status: 302, head: head('Location: //evil.example\r\n') }) },
    ],
    ['finds a secret in an answer', { received: answer({ body: `Well, ${canaries.otherMessage}.` }) }],
    ["finds the server's files in an answer", { received: answer({ body: `Well: ${root}/server/app.ts.` }) }],
    ['finds in a log line what was typed', { settled: { lines: [line({ path: canaries.typed })] } }],
    ['finds an error that nobody caught', { settled: { uncaught: ['nobody caught: it'] } }],
    ['finds an error that nobody caught in the log', { settled: { lines: [line({ code: 'INTERNAL' })] } }],
    ['finds a process that no longer serves', { settled: { ailment: 'GET /healthz answers 503.' } }],
    ['finds rows of others changed', { settled: { otherUnchanged: false } }],
  ];
  for (const [title, changes] of wrong) it(title, () => expect(complaintsOn(changes)).not.to.deep.equal([]));
});
