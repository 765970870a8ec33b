import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { createAnthropicClient, createAnthropicModel } from '../../../server/model/anthropic-model.ts';
import { closing } from '../../support/closing.ts';
import { perSuite } from '../../support/per-suite.ts';
import { createScriptedProvider } from '../../support/scripted-provider.ts';
import { ask } from './ask.ts';

const strayEnvironment = {
  ANTHROPIC_API_KEY: 'stray-key',
  ANTHROPIC_AUTH_TOKEN: 'stray-token',
  ANTHROPIC_BASE_URL: 'http://127.0.0.1:9',
  ANTHROPIC_PROFILE: 'stray-profile',
  ANTHROPIC_LOG: 'debug',
  ANTHROPIC_OPEN_TELEMETRY: 'true',
};

describe('the client of the model provider', () => {
  const originalEnvironment = { ...process.env };
  const originalConsole = { ...console };
  const logged: unknown[] = [];

  const provider = perSuite(() => createScriptedProvider());
  beforeEach(() => {
    Object.assign(process.env, strayEnvironment);
    const record = (...line: unknown[]) => void logged.push(line);
    Object.assign(console, { debug: record, info: record, log: record, warn: record, error: record });
  });
  afterEach(() => {
    Object.assign(console, originalConsole);
    for (const name of Object.keys(strayEnvironment)) delete process.env[name];
    Object.assign(process.env, originalEnvironment);
    logged.length = 0;
    provider.reset();
  });

  async function sentHeaders(apiKey: string | undefined, model = 'configured-model') {
    const options = { apiKey, baseUrl: provider.url, model, idleTimeoutMilliseconds: 10_000 };
    await using configured = closing(createAnthropicModel(options));
    expect((await ask(configured)).ending).to.equal('complete');
    const { headers } = await provider.request(1);
    return headers;
  }

  it('authenticates only with the configured key', async () => {
    const headers = await sentHeaders('configured-key');
    expect(headers.authorization).to.equal('Bearer configured-key');
    expect(JSON.stringify(headers)).not.to.contain('stray');
  });

  it('sends no credentials if no key is configured', async () => {
    const headers = await sentHeaders(undefined);
    expect(headers).not.to.have.any.keys('authorization', 'x-api-key');
    expect(JSON.stringify(headers)).not.to.contain('stray');
  });

  it('sends the same headers as the SDK, with a content length', async () => {
    const sent = await sentHeaders('configured-key');
    const { body } = await provider.request(1);
    const options = { apiKey: 'configured-key', baseUrl: provider.url, timeoutMilliseconds: 10_000 };
    const response = await createAnthropicClient(options).post('/v1/messages', { body, stream: true }).asResponse();
    await response.text();
    const { headers } = await provider.request(2);
    // Only fetch, which the SDK uses, sends these.
    for (const name of ['accept-encoding', 'accept-language', 'sec-fetch-mode']) delete headers[name];
    expect(sent).to.deep.equal(headers);
    expect(sent).to.include({ 'content-length': String(JSON.stringify(body).length) });
  });

  it('logs nothing, even for a deprecated model or an error', async () => {
    await sentHeaders('configured-key', 'claude-sonnet-4-5');
    provider.answerWith({ refuse: { status: 500, type: 'api_error', message: 'Scripted refusal.' } });
    const options = { apiKey: 'k', baseUrl: provider.url, model: 'm', idleTimeoutMilliseconds: 10_000 };
    await using configured = closing(createAnthropicModel(options));
    await ask(configured);
    expect(logged).to.deep.equal([]);
  });
});
