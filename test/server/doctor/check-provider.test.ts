import { expect } from 'chai';
import { after, afterEach, before, describe, it } from 'mocha';
import { loadConfig } from '../../../server/config/config.ts';
import { checkProvider } from '../../../server/doctor/check-provider.ts';
import { createScriptedProvider, type ScriptedProvider } from '../../support/scripted-provider.ts';

let provider: ScriptedProvider;

before(async () => {
  provider = await createScriptedProvider();
});

afterEach(() => provider.reset());

after(() => provider.close());

const config = () => loadConfig({ ANTHROPIC_BASE_URL: provider.url, ANTHROPIC_API_KEY: 'sk-secret' });

describe('checkProvider', () => {
  it('sends one small request the way that turns are sent', async () => {
    const [finding] = await checkProvider(config());
    expect(finding?.outcome).to.equal('ok');
    expect(provider.requests).to.have.lengthOf(1);
    expect(provider.requests[0]?.body).to.include({ model: 'claude-sonnet-5-5', max_tokens: 64 });
  });

  const failures: [number, string, RegExp][] = [
    [401, 'authentication_error', /^UPSTREAM_AUTH \(.*\)\. Check ANTHROPIC_API_KEY/],
    [400, 'invalid_request_error', /^UPSTREAM_BAD_REQUEST \(.*\)\. Check ANTHROPIC_MODEL/],
    [529, 'overloaded_error', /^UPSTREAM_OVERLOADED \(.*\)\. The provider is busy/],
    [404, 'not_found_error', /^UPSTREAM_ERROR \(.*\)\. Check ANTHROPIC_MODEL, ANTHROPIC_BASE_URL/],
  ];
  for (const [status, type, text] of failures) {
    it(`reports ${status} by our code, with what to do`, async () => {
      provider.answerWith({ refuse: { status, type, message: 'Refused.' } });
      const [finding] = await checkProvider(config());
      expect(finding?.outcome).to.equal('FAILED');
      expect(finding?.text).to.match(text).and.not.include('sk-secret');
    });
  }

  it('is skipped where the offline stand-in answers', async () => {
    const [finding] = await checkProvider(loadConfig({}));
    expect(finding?.outcome).to.equal('skipped');
  });
});
