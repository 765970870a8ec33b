import { expect } from 'chai';
import { afterEach, describe, it } from 'mocha';
import { loadConfig } from '../../../server/config/config.ts';
import { checkBudgets, checkModel, checkSignIn } from '../../../server/doctor/checks.ts';
import { perSuite } from '../../support/per-suite.ts';
import { createScriptedProvider } from '../../support/scripted-provider.ts';

const provider = perSuite(() => createScriptedProvider());

afterEach(() => provider.reset());

const config = () => loadConfig({ ANTHROPIC_BASE_URL: provider.url, ANTHROPIC_API_KEY: 'sk-secret' });

describe('checkModel', () => {
  it('sends one small request through the client that turns use', async () => {
    const [finding] = await checkModel(config());
    expect(finding?.outcome).to.equal('ok');
    expect(provider.requests).to.have.lengthOf(1);
    expect(provider.requests[0]?.body).to.include({ model: config().model.name, max_tokens: 64 });
  });

  const failures: [number, string, RegExp][] = [
    [401, 'authentication_error', /^UPSTREAM_AUTH \(.*\)\. Check ANTHROPIC_API_KEY/],
    [400, 'invalid_request_error', /^UPSTREAM_BAD_REQUEST \(.*\)\. Check ANTHROPIC_MODEL/],
    [529, 'overloaded_error', /^UPSTREAM_OVERLOADED \(.*\)\. The provider is overloaded/],
    [404, 'not_found_error', /^UPSTREAM_ERROR \(.*\)\. Check ANTHROPIC_MODEL, ANTHROPIC_BASE_URL/],
  ];
  for (const [status, type, text] of failures) {
    it(`reports ${status} as an error code with advice`, async () => {
      provider.answerWith({ refuse: { status, type, message: 'Refused.' } });
      const [finding] = await checkModel(config());
      expect(finding?.outcome).to.equal('FAILED');
      expect(finding?.text).to.match(text).and.not.include('sk-secret');
    });
  }
});

describe('checkBudgets', () => {
  const textsFor = async (env: Record<string, string>) => (await checkBudgets(loadConfig(env))).map(({ text }) => text);

  it('says what the lack of a budget can cost', async () => {
    const [ofUsers, ofDemo] = await textsFor({ MAX_BODY_BYTES: '2000000' });
    expect(ofUsers).to.include('60 questions a minute').and.include('173 GB a day').and.include('TOKENS_PER_DAY_USER');
    expect(ofDemo).to.include('Set TOKENS_PER_DAY_DEMO.');
  });

  it('is satisfied with a budget of users or organizations, and one of demo chat', async () => {
    for (const name of ['TOKENS_PER_DAY_USER', 'TOKENS_PER_DAY_ORGANIZATION']) {
      const texts = await textsFor({ [name]: '5000000', TOKENS_PER_DAY_DEMO: '5000000' });
      expect(texts).to.deep.equal(['Set for users or organizations.', 'Set for demo chat.']);
    }
  });
});

describe('checkSignIn', () => {
  it('prints the callback URLs of configured providers only', async () => {
    const findings = await checkSignIn(
      loadConfig({
        PUBLIC_URL: 'https://chat.example.com',
        ...{ GOOGLE_CLIENT_ID: 'id', GOOGLE_CLIENT_SECRET: 'a secret' },
        ...{ MICROSOFT_CLIENT_ID: 'id', MICROSOFT_CLIENT_SECRET: 'a secret' },
      }),
    );
    expect(findings.map(({ outcome, text }) => `${outcome}: ${text}`)).to.deep.equal([
      'ok: Callback URL to register with Google: https://chat.example.com/auth/google/callback',
      'ok: Callback URL to register with Microsoft: https://chat.example.com/auth/microsoft/callback',
    ]);
  });
});
