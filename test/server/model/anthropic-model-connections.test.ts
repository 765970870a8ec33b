import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { Model } from '../../../server/model/anthropic-model.ts';
import { eventually } from '../../support/eventually.ts';
import { createScriptedProvider, type ScriptedProvider } from '../../support/scripted-provider.ts';
import { createTcpProxy } from '../../support/tcp-proxy.ts';
import { ask, createTestModel } from './ask.ts';

describe('a connection to the provider', () => {
  let provider: ScriptedProvider;
  let network: Awaited<ReturnType<typeof createTcpProxy>>;
  let model: Model;
  let opened: number;

  beforeEach(async () => {
    opened = 0;
    provider = await createScriptedProvider();
    network = await createTcpProxy(provider.url, () => {
      opened += 1;
      return () => {};
    });
    model = createTestModel(network.url);
  });
  afterEach(async () => {
    await model.close();
    await network.close();
    await provider.close();
  });

  it('carries one reply at a time', async () => {
    const rest = Promise.withResolvers<void>();
    provider.answerWith({ steps: [{ text: 'We' }, { wait: rest.promise }, { text: ' begin.' }] });
    const replies = Promise.all([ask(model), ask(model)]);
    await provider.request(2);
    expect(opened).to.equal(2);
    rest.resolve();
    for (const reply of await replies) expect(reply).to.include({ ending: 'complete' });
  });

  it('carries the next reply when one has ended', async () => {
    await ask(model);
    // undici looks first whether anything comes that was not asked for.
    await new Promise(setImmediate);
    expect(await ask(model)).to.include({ ending: 'complete' });
    expect(opened).to.equal(1);
  });

  it('that cannot be opened fails the reply that needs it, and nothing else', async () => {
    await network.cut();
    const { ending, error } = await ask(model);
    expect([ending, error?.code]).to.deep.equal(['failed', 'UPSTREAM_ERROR']);
    await network.mend();
    expect(await ask(model)).to.include({ ending: 'complete' });
  });

  it('that no reply is on is closed with the model', async () => {
    const other = createTestModel(network.url);
    await ask(other);
    await other.close();
    await eventually(() => (network.open === 0 ? true : undefined));
  });
});
