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

  it('holds the provider back while a delta is being taken', async () => {
    let stepsTaken = 0;
    function* endless() {
      yield { text: 'One' };
      for (;;) {
        stepsTaken += 1;
        yield largePing;
      }
    }
    provider.answerWith({ steps: endless() });
    const leaving = new AbortController();
    const stalled = Promise.withResolvers<void>();
    const outcome = ask(model, { onText: () => stalled.promise, signal: leaving.signal });
    const { ended } = await provider.request(1);
    // Once the buffers between the two are full, the provider's writes stop leaving its process.
    let before = -1;
    while (before !== stepsTaken) {
      before = stepsTaken;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    expect(stepsTaken).to.be.lessThan(1000);
    leaving.abort();
    stalled.resolve();
    expect((await outcome).deltas).to.have.length(1);
    expect(await ended).to.equal('left');
  });

  it('counts only waiting for the provider as silence, however long its client is in taking the text', async () => {
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

  it('is over only when its last delta has been taken, also where it was aborted meanwhile', async () => {
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

  it('leaves no connection behind that is open once the model is closed', async () => {
    await using network = closing(await createTcpProxy(provider.url));
    const other = createTestModel(network.url);
    await ask(other);
    await other.close();
    await eventually(() => (network.open === 0 ? true : undefined));
  });
});
