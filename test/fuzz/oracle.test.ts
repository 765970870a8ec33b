import { expect } from 'chai';
import { describe, it } from 'mocha';
import { routes } from '../../shared/interface.ts';
import { root } from '../support/served-process.ts';
import { complaints, type Evidence } from './oracle.ts';
import type { Case } from './requests.ts';
import { canaries } from './texts.ts';
import { responsesIn } from './wire.ts';

const answer = ({ status = 200, ids = ['one'], body = 'Well.\n' }) =>
  `HTTP/1.1 ${status} Status\r\n${ids.map((id) => `X-Request-Id: ${id}\r\n`).join('')}Content-Length: ${body.length}\r\n\r\n${body}`;
const line = (fields: object) => JSON.stringify({ level: 30, msg: 'request', ...fields });

const tried: Case = {
  mood: 'well',
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

function complaintsOn({
  received = answer({}),
  ...changes
}: { received?: string } & Partial<Evidence['settled']>): string[] {
  return complaints({
    tried,
    exchanged: { received, responses: responsesIn(received, ['POST']), answered: true, broken: false },
    settled: { lines: [], troubles: [], ...changes },
    served: { otherSecrets: ['the-session'] },
  });
}

describe('the fuzzer', () => {
  it('has nothing to say about an answer that is as it should be', () => {
    const right = [
      answer({}),
      answer({ status: 400, body: 'INVALID_JSON: The request body is not valid JSON.' }),
      answer({ status: 404, body: 'There is nothing at this address.\n' }),
    ];
    const lines = [line({ code: 'INVALID_JSON' })];
    expect(right.flatMap((received) => complaintsOn({ received, lines }))).to.deep.equal([]);
  });

  const wrong: Record<string, Parameters<typeof complaintsOn>[0]> = {
    'misses an answer': { received: '' },
    'misses a request id': { received: answer({ ids: [] }) },
    'finds two request ids': { received: answer({ ids: ['one', 'two'] }) },
    'finds bytes that are no answer': { received: `${answer({})}bytes` },
    'finds a failure without a reason': { received: answer({ status: 500, body: 'INTERNAL: Something went wrong.' }) },
    'finds a request that the provider refuses': {
      received: answer({ status: 400, body: 'UPSTREAM_BAD_REQUEST: The model rejected the request.' }),
    },
    'finds a failure that is not in the table': { received: answer({ status: 503, body: 'Busy.\n' }) },
    'finds a secret in an answer': { received: answer({ body: `Well, ${canaries.otherMessage}.` }) },
    'finds the session of somebody else in an answer': { received: answer({ body: 'the-session' }) },
    "finds the server's files in an answer": { received: answer({ body: `Well: ${root}/server/app.ts.` }) },
    'finds in a log line what was typed': { lines: [line({ path: canaries.typed })] },
    'hands on what is wrong with the process': { troubles: ['Nobody caught it.'] },
    'finds an uncaught exception in the log': { lines: [line({ code: 'INTERNAL' })] },
  };
  for (const [title, changes] of Object.entries(wrong))
    it(title, () => expect(complaintsOn(changes)).not.to.deep.equal([]));
});
