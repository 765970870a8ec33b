import { expect } from 'chai';
import { afterEach, describe, it } from 'mocha';
import { estimateDemoTurn } from '../../../server/chat/token-use.ts';
import { defaultReply, errorEvent } from '../../support/scripted-provider.ts';
import { createTestApp, question, type TestApp } from '../../support/test-app.ts';

const reported = 101 + 12 + 30 + 40;
/** A day, plus the fifteen minutes for which uses are counted together. */
const waitSeconds = 24 * 3600 + 15 * 60;

describe('the token budget of demo chat', () => {
  let app: TestApp;

  afterEach(() => app.close());

  const ask = async (address = '192.0.2.1') => {
    const response = await app.demo(question(), { 'X-Forwarded-For': address });
    return { response, body: await response.text() };
  };
  const remainingTokens = async () => app.demoBudget?.remaining();

  it('is shared by all visitors, and refuses a turn with a message for demo chat, without a request to the provider', async () => {
    app = await createTestApp({ tokensPerDay: { demo: reported + 1 }, clock: () => 0 });
    expect((await ask('192.0.2.1')).body).to.equal(defaultReply.text);
    expect((await ask('192.0.2.2')).body).to.equal(defaultReply.text);
    const { response, body } = await ask('192.0.2.3');
    expect(response.status).to.equal(429);
    expect(response.headers.get('retry-after')).to.equal(String(waitSeconds));
    expect(body).to.equal("RATE_LIMITED: Demo chat's daily token budget is used up. Try again in 87300 seconds.");
    expect(app.provider.requests).to.have.length(2);
  });

  it('is checked after the limit, the JSON and the messages', async () => {
    app = await createTestApp({ tokensPerDay: { demo: 1 }, limits: { demo: 4 }, clock: () => 0 });
    await ask();
    expect(await (await app.demo('{', { 'X-Forwarded-For': '192.0.2.1' })).text()).to.match(/^INVALID_JSON: /);
    expect(await (await app.demo({}, { 'X-Forwarded-For': '192.0.2.1' })).text()).to.match(/^MISSING_MESSAGES: /);
    expect((await ask()).body).to.match(/^RATE_LIMITED: Demo chat's daily token budget/);
    expect((await ask()).body).to.match(/^RATE_LIMITED: Too many requests/);
  });

  it('counts a turn in flight as its estimate, and a finished one as its usage', async () => {
    const budget = 20_000;
    app = await createTestApp({ tokensPerDay: { demo: budget } });
    const { promise, resolve } = Promise.withResolvers<void>();
    app.provider.answerWith({ ...defaultReply.answer, steps: [{ wait: promise }, { text: 'Late.' }] });
    const first = ask();
    await app.provider.request(1);
    const asked = [{ role: 'user' as const, content: 'Where do we start?' }];
    expect(await remainingTokens()).to.equal(budget - estimateDemoTurn(asked).reserved);
    resolve();
    await first;
    expect(await remainingTokens()).to.equal(budget - reported);
  });

  it('counts nothing for a turn that the provider refuses or that fails before any output', async () => {
    app = await createTestApp({ tokensPerDay: { demo: reported } });
    for (const answer of [
      { refuse: { status: 529, type: 'overloaded_error', message: 'Busy.' } },
      { ...defaultReply.answer, steps: [errorEvent('api_error')] },
    ]) {
      app.provider.answerWith(answer);
      await ask();
    }
    expect(await remainingTokens()).to.equal(reported);
  });

  it('counts nothing for a turn that fails before its request is sent', async () => {
    app = await createTestApp({ tokensPerDay: { demo: reported } });
    app.model.start = () => {
      throw new Error('thrown');
    };
    expect((await ask()).response.status).to.equal(502);
    expect(await remainingTokens()).to.equal(reported);
  });
});
