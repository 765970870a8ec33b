import { expect } from 'chai';
import { afterEach, describe, it } from 'mocha';
import { closing } from '../../support/closing.ts';
import { eventually } from '../../support/eventually.ts';
import { ofSuite } from '../../support/of-suite.ts';
import { createScriptedProvider } from '../../support/scripted-provider.ts';
import { createTcpProxy } from '../../support/tcp-proxy.ts';
import { ask, createTestModel } from './ask.ts';

/** Fills the buffers of a connection without adding to a reply. */
const largePing = { event: { type: 'ping', padding: 'x'.repeat(50_000) } };

describe('a model reply', () => {
  const provider = ofSuite(() => createScriptedProvider());
  const model = ofSuite(() => createTestModel(provider.url));
  afterEach(() => provider.reset());

  it('counts only the wait for the provider as silence, not the time that the client takes to read', async () => {
    await using patient = closing(createTestModel(provider.url, 500));
    provider.answerWith({ steps: [{ text: 'One' }, ...Array(40).fill(largePing), { text: ' two' }] });
    let slow = true;
    const onText = async () => {
      if (slow) await new Promise((resolve) => setTimeout(resolve, 1_000));
      slow = false;
    };
    const { ending, deltas } = await ask(patient, { onText });
    expect({ ending, deltas }).to.deep.equal({ ending: 'complete', deltas: ['One', ' two'] });
  });

  it('ends only after its last delta has been taken, even if it was aborted', async () => {
    provider.answerWith({ steps: [{ text: 'One' }, { text: ' two' }, { wait: new Promise(() => {}) }] });
    const taken = Promise.withResolvers<void>();
    const leaving = new AbortController();
    const calls: string[] = [];
    const given = Promise.withResolvers<void>();
    const onText = () => {
      given.resolve();
      return taken.promise.then(() => void calls.push('taken'));
    };
    const outcome = ask(model, { onText, signal: leaving.signal }).finally(() => calls.push('over'));
    await given.promise;
    leaving.abort();
    expect(await (await provider.request(1)).ended).to.equal('left');
    taken.resolve();
    const { ending, deltas } = await outcome;
    expect({ ending, deltas }).to.deep.equal({ ending: 'aborted', deltas: ['One'] });
    expect(calls).to.deep.equal(['taken', 'over']);
  });

  it('leaves no open connection once the model is closed', async () => {
    await using network = closing(await createTcpProxy(provider.url));
    const other = createTestModel(network.url);
    await ask(other);
    await other.close();
    await eventually(() => (network.open === 0 ? true : undefined));
  });
});
