import { expect } from 'chai';
import { after, afterEach, before, describe, it } from 'mocha';
import type { ProviderStep } from '../../../server/embedded/provider-answer.ts';
import type { Model } from '../../../server/model/model.ts';
import { closing } from '../../support/closing.ts';
import { createScriptedProvider, errorEvent, type ScriptedProvider } from '../../support/scripted-provider.ts';
import { ask, createTestModel } from './ask.ts';

const codesByStatus = [
  [400, 'invalid_request_error', 'UPSTREAM_BAD_REQUEST'],
  [401, 'authentication_error', 'UPSTREAM_AUTH'],
  [403, 'permission_error', 'UPSTREAM_AUTH'],
  [404, 'not_found_error', 'UPSTREAM_ERROR'],
  [408, 'timeout_error', 'UPSTREAM_ERROR'],
  [409, 'conflict_error', 'UPSTREAM_ERROR'],
  [413, 'request_too_large', 'UPSTREAM_BAD_REQUEST'],
  [422, 'invalid_request_error', 'UPSTREAM_BAD_REQUEST'],
  [429, 'rate_limit_error', 'UPSTREAM_ERROR'],
  [500, 'api_error', 'UPSTREAM_ERROR'],
  [503, 'api_error', 'UPSTREAM_ERROR'],
  [503, 'overloaded_error', 'UPSTREAM_OVERLOADED'],
  [529, 'overloaded_error', 'UPSTREAM_OVERLOADED'],
  [529, 'api_error', 'UPSTREAM_OVERLOADED'],
] as const;

const codesByType = [
  ['overloaded_error', 'UPSTREAM_OVERLOADED'],
  ['authentication_error', 'UPSTREAM_AUTH'],
  ['permission_error', 'UPSTREAM_AUTH'],
  ['invalid_request_error', 'UPSTREAM_BAD_REQUEST'],
  ['request_too_large', 'UPSTREAM_BAD_REQUEST'],
  ['api_error', 'UPSTREAM_ERROR'],
  ['rate_limit_error', 'UPSTREAM_ERROR'],
  ['unheard_of_error', 'UPSTREAM_ERROR'],
] as const;

const faults: [string, ProviderStep[]][] = [
  ['a cut connection', [{ cut: true }]],
  ['an end without message_stop', [{ end: true }]],
  ['an end in the middle of an event', [{ raw: 'data: {"type":"content_block_delta","ind' }, { end: true }]],
  ['data that is not JSON', [{ raw: 'data: {"type":\n\n' }]],
  ['JSON that is no event', [{ raw: 'data: [1]\n\n' }]],
  ['a text delta without text', [{ raw: 'data: {"type":"content_block_delta","delta":{"type":"text_delta"}}\n\n' }]],
  ['lines that are no event stream', [{ raw: '<html>Bad gateway</html>\n\n' }]],
  ['JSON too deep to read', [{ raw: `data: {"type":"ping","deep":${'['.repeat(200_000)}\n\n` }]],
];

describe('the error of a model reply', () => {
  let provider: ScriptedProvider;
  let model: Model;

  before(async () => {
    provider = await createScriptedProvider();
    model = createTestModel(provider.url);
  });
  after(async () => {
    await model.close();
    await provider.close();
  });
  afterEach(() => provider.reset());

  for (const [status, type, code] of codesByStatus) {
    it(`is ${code} where the provider refuses with ${status} ${type}`, async () => {
      provider.answerWith({ refuse: { status, type, message: 'Scripted refusal.' } });
      const { ending, error, deltas, providerRequestId } = await ask(model);
      expect({ ending, code: error?.code, deltas }).to.deep.equal({ ending: 'failed', code, deltas: [] });
      expect(providerRequestId).to.match(/^req_/);
      expect(error?.message).not.to.match(/req_|Scripted/);
      expect(provider.requests).to.have.length(1);
    });
  }

  for (const [type, code] of codesByType) {
    it(`is ${code} where the stream reports ${type}`, async () => {
      provider.answerWith({ steps: [errorEvent(type), { wait: new Promise(() => {}) }] });
      const { ending, error, deltas, stopReason } = await ask(model);
      expect({ ending, code: error?.code, deltas, stopReason }).to.deep.equal({
        ending: 'failed',
        code,
        deltas: [],
        stopReason: null,
      });
      expect(error?.message).not.to.match(/req_|Scripted/);
      expect(await (await provider.request(1)).ended).to.equal('left');
    });
  }

  for (const [fault, steps] of faults) {
    it(`is UPSTREAM_ERROR on ${fault}, before text and after`, async () => {
      provider.answerWith({ steps });
      const before = await ask(model);
      provider.answerWith({ steps: [{ text: 'One' }, ...steps] });
      const after = await ask(model);
      expect([before, after].map(({ ending, error, deltas }) => [ending, error?.code, deltas])).to.deep.equal([
        ['failed', 'UPSTREAM_ERROR', []],
        ['failed', 'UPSTREAM_ERROR', ['One']],
      ]);
    });
  }

  it('is UPSTREAM_ERROR where an error page has no JSON', async () => {
    provider.answerWith({
      refuse: { status: 502, type: 'api_error', message: '', headers: { 'content-type': 'text/html' } },
    });
    expect((await ask(model)).error?.code).to.equal('UPSTREAM_ERROR');
  });

  it('is UPSTREAM_ERROR on a redirect, which is not followed', async () => {
    await using elsewhere = closing(await createScriptedProvider());
    const headers = { location: `${elsewhere.url}/v1/messages` };
    provider.answerWith({ refuse: { status: 307, type: 'redirect', message: 'Over there.', headers } });
    expect((await ask(model)).error?.code).to.equal('UPSTREAM_ERROR');
    expect(elsewhere.requests).to.deep.equal([]);
  });

  it('is UPSTREAM_ERROR where nothing listens', async () => {
    const gone = await createScriptedProvider();
    await gone.close();
    await using lonely = closing(createTestModel(gone.url));
    const { error } = await ask(lonely);
    expect(error?.code).to.equal('UPSTREAM_ERROR');
  });
});
