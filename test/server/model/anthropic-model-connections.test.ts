import { install } from '@sinonjs/fake-timers';
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import type { Model } from '../../../server/model/model.ts';
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

  const connections = (count: number) => eventually(() => (opened === count ? true : undefined));
  const noneIsOpen = () => eventually(() => (network.open === 0 ? true : undefined));

  it('is there before the reply is asked for, and carries it', async () => {
    model.prepare();
    await connections(1);
    expect(await ask(model)).to.include({ ending: 'complete' });
    expect(opened).to.equal(1);
  });

  it('is waited for where it is still being opened', async () => {
    model.prepare();
    expect(await ask(model)).to.include({ ending: 'complete' });
    expect(opened).to.equal(1);
  });

  it('is opened ahead one at a time, however many replies are to come', async () => {
    for (let times = 0; times < 5; times += 1) model.prepare();
    await Promise.all([ask(model), ask(model), ask(model)]);
    expect(opened).to.equal(3);
  });

  it('is not opened ahead where one is free', async () => {
    await ask(model);
    // undici looks first whether anything comes that was not asked for.
    await new Promise(setImmediate);
    model.prepare();
    expect(await ask(model)).to.include({ ending: 'complete' });
    expect(opened).to.equal(1);
  });

  it('is opened ahead where those that are open carry replies', async () => {
    const rest = Promise.withResolvers<void>();
    provider.answerWith({ steps: [{ text: 'We' }, { wait: rest.promise }, { text: ' begin.' }] });
    const first = ask(model);
    await provider.request(1);
    model.prepare();
    await connections(2);
    rest.resolve();
    expect(await first).to.include({ ending: 'complete' });
  });

  it('that was lost before a reply needed it is replaced', async () => {
    model.prepare();
    await connections(1);
    await network.cut();
    await network.mend();
    await noneIsOpen();
    model.prepare();
    expect(await ask(model)).to.include({ ending: 'complete' });
    expect(opened).to.equal(2);
  });

  it('that cannot be opened ahead fails the reply that needs one, and nothing else', async () => {
    await network.cut();
    model.prepare();
    const { ending, error } = await ask(model);
    expect([ending, error?.code]).to.deep.equal(['failed', 'UPSTREAM_ERROR']);
    await network.mend();
    expect(await ask(model)).to.include({ ending: 'complete' });
  });

  it('that no reply needs is closed after four seconds, and not before', async () => {
    const clock = install({ toFake: ['setTimeout', 'clearTimeout'], shouldClearNativeTimers: true });
    try {
      model.prepare();
      await eventuallyWithoutTimers(() => network.open === 1 && clock.countTimers() > 0);
      clock.tick(3_999);
      model.prepare();
      expect([opened, network.open]).to.deep.equal([1, 1]);
      clock.tick(1);
      await eventuallyWithoutTimers(() => network.open === 0);
    } finally {
      clock.uninstall();
    }
    expect(await ask(model)).to.include({ ending: 'complete' });
    expect(opened).to.equal(2);
  });

  it('that no reply needs is closed with the model', async () => {
    const other = createTestModel(network.url);
    other.prepare();
    await connections(1);
    await other.close();
    await noneIsOpen();
  });
});

/** While no timer runs. */
async function eventuallyWithoutTimers(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise(setImmediate);
}
