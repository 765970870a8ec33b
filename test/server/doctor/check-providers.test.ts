import { expect } from 'chai';
import { afterEach, describe, it } from 'mocha';
import { loadConfig } from '../../../server/config/config.ts';
import { checkBudgets, checkModel, checkProxies, checkSignIn } from '../../../server/doctor/checks.ts';
import { proxyAuthorization, startForwardProxy } from '../../support/forward-proxy.ts';
import { findNonEphemeralPort } from '../../support/non-ephemeral-port.ts';
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

describe('checkProxies', () => {
  const proxy = perSuite(() => startForwardProxy(provider.url));
  const github = { GITHUB_CLIENT_ID: 'id', GITHUB_CLIENT_SECRET: 'a secret' };
  const textsOf = async (variables: Record<string, string>) =>
    (await checkProxies(loadConfig(variables))).map(({ outcome, text }) => `${outcome}: ${text}`);

  it('names the proxy of each host without its password', async () => {
    const { host } = new URL(proxy.url);
    const texts = await textsOf({
      HTTPS_PROXY: proxy.url,
      NO_PROXY: 'api.github.com',
      ANTHROPIC_API_KEY: 'sk-secret',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318',
      ...github,
    });
    expect(texts).to.deep.equal([
      `ok: api.anthropic.com is reached through ${host}.`,
      `ok: github.com is reached through ${host}.`,
      'ok: api.github.com is reached directly.',
      'ok: collector:4318 is reached directly.',
    ]);
  });

  it('fails if a proxy cannot be reached', async () => {
    const port = await findNonEphemeralPort();
    const texts = await textsOf({ HTTPS_PROXY: `http://chat:hunter2@127.0.0.1:${port}`, ...github });
    expect(texts.at(-1)).to.equal(
      `FAILED: 127.0.0.1:${port}: connect ECONNREFUSED 127.0.0.1:${port}. Check HTTPS_PROXY, HTTP_PROXY and NO_PROXY.`,
    );
  });

  it('gives the same result as the check of the model, which uses the proxy', async () => {
    const [finding] = await checkModel(
      loadConfig({ HTTP_PROXY: proxy.url, ANTHROPIC_BASE_URL: 'http://model.example.com' }),
    );
    expect(finding?.outcome).to.equal('ok');
    expect(proxy.requests.at(-1)).to.include({
      target: 'http://model.example.com/v1/messages',
      authorization: proxyAuthorization,
    });
  });
});
