import { expect } from 'chai';
import { describe, it } from 'mocha';
import { routes } from '../../shared/interface.ts';
import { root } from '../support/served-process.ts';
import { type Evidence, findViolations } from './oracle.ts';
import type { Case } from './requests.ts';
import { canaries } from './texts.ts';
import { responsesIn } from './wire.ts';

const answer = ({ status = 200, ids = ['one'], body = 'Well.\n' }) =>
  `HTTP/1.1 ${status} Status\r\n${ids.map((id) => `X-Request-Id: ${id}\r\n`).join('')}Content-Length: ${body.length}\r\n\r\n${body}`;
const line = (fields: object) => JSON.stringify({ level: 30, msg: 'request', ...fields });

const testCase: Case = {
  behavior: 'replies',
  signIn: 'google',
  requests: [
    {
      ...{ method: 'POST', target: routes.liveChat, version: 'HTTP/1.1', headers: [] },
      body: { headers: [['Content-Length', '2']], bytes: Buffer.from('{}') },
    },
  ],
  spliced: null,
  packets: 1,
};

function violationsOf({
  received = answer({}),
  ...changes
}: { received?: string } & Partial<Evidence['aftermath']>): string[] {
  return findViolations({
    testCase,
    exchanged: { received, responses: responsesIn(received, ['POST']), answered: true, broken: false },
    aftermath: { lines: [], problems: [], ...changes },
    app: { otherSecrets: ['the-session'] },
  });
}

describe('The rules of the fuzzer', () => {
  it('report no violation for valid responses', () => {
    const right = [
      answer({}),
      answer({ status: 400, body: 'INVALID_JSON: The request body is not valid JSON.' }),
      answer({ status: 404, body: 'Not found.\n' }),
    ];
    const lines = [line({ code: 'INVALID_JSON' })];
    expect(right.flatMap((received) => violationsOf({ received, lines }))).to.deep.equal([]);
  });

  const wrong: Record<string, Parameters<typeof violationsOf>[0]> = {
    'a missing response': { received: '' },
    'a missing request id': { received: answer({ ids: [] }) },
    'two request ids': { received: answer({ ids: ['one', 'two'] }) },
    'bytes that are not a response': { received: `${answer({})}bytes` },
    'a failure without a cause': { received: answer({ status: 500, body: 'INTERNAL: Something went wrong.' }) },
    'a request that the provider rejects': {
      received: answer({ status: 400, body: 'UPSTREAM_BAD_REQUEST: The model rejected the request.' }),
    },
    'a failure that is not in the table of errors': { received: answer({ status: 503, body: 'Busy.\n' }) },
    'a secret in a response': { received: answer({ body: `Well, ${canaries.otherMessage}.` }) },
    "another person's session in a response": { received: answer({ body: 'the-session' }) },
    "a path of the server's files in a response": { received: answer({ body: `Well: ${root}/server/app.ts.` }) },
    'typed text in a log line': { lines: [line({ path: canaries.typed })] },
    'a problem of the process': { problems: ['Uncaught exception.'] },
    'an uncaught exception in the log': { lines: [line({ code: 'INTERNAL' })] },
  };
  for (const [title, changes] of Object.entries(wrong))
    it(`report ${title}`, () => expect(violationsOf(changes)).not.to.deep.equal([]));
});
