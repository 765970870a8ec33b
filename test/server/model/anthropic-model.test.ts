import { install } from '@sinonjs/fake-timers';
import { expect } from 'chai';
import { after, afterEach, before, describe, it } from 'mocha';
import type { Model } from '../../../server/model/model.ts';
import { closing } from '../../support/closing.ts';
import { createScriptedProvider, defaultReply, type ScriptedProvider } from '../../support/scripted-provider.ts';
import { ask, createTestModel, request } from './ask.ts';

describe('a model reply', () => {
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

  it('is asked for with the configured model, the budget, the effort and everything else as given', async () => {
    await ask(model);
    const { body } = await provider.request(1);
    expect(body).to.deep.equal({
      model: 'configured-model',
      max_tokens: 4096,
      stream: true,
      system: request.system,
      messages: request.messages,
      output_config: { effort: 'high' },
    });
  });

  it('ends complete, with the counts, the stop reason and the model that the provider stated', async () => {
    provider.answerWith({ ...defaultReply.answer, stopReason: 'max_tokens', model: 'served-model' });
    const { providerRequestId, ...outcome } = await ask(model);
    expect(outcome).to.deep.equal({
      ending: 'complete',
      error: null,
      usage: { inputTokens: 101, outputTokens: 12, cacheReadTokens: 30, cacheCreateTokens: 40 },
      stopReason: 'max_tokens',
      model: 'served-model',
      deltas: ['Start with ', 'the first hypothesis.'],
    });
    expect(providerRequestId).to.match(/^req_/);
  });

  it('keeps the counts of the start where the end states the output alone', async () => {
    const usage = { input_tokens: 7, output_tokens: 1, cache_read_input_tokens: 2, cache_creation_input_tokens: 3 };
    provider.answerWith({
      usage,
      steps: [
        { event: { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 50 } } },
        { event: { type: 'message_stop' } },
        { end: true },
      ],
    });
    expect((await ask(model)).usage).to.deep.equal({
      inputTokens: 7,
      outputTokens: 50,
      cacheReadTokens: 2,
      cacheCreateTokens: 3,
    });
  });

  it('delivers each text delta by a call of its own, in order', async () => {
    const texts = Array.from({ length: 500 }, (_, index) => `${index} `);
    provider.answerWith({ steps: texts.map((text) => ({ text })) });
    expect((await ask(model)).deltas).to.deep.equal(texts);
  });

  it('may have no text at all', async () => {
    provider.answerWith({ steps: [] });
    const { ending, deltas } = await ask(model);
    expect({ ending, deltas }).to.deep.equal({ ending: 'complete', deltas: [] });
  });

  it('gains nothing from thinking, pings, empty deltas, comments and unknown events', async () => {
    provider.answerWith({
      steps: [
        { event: { type: 'ping' } },
        { event: { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'Hmm.' } } },
        { text: '' },
        { text: 'One' },
        { raw: ': a comment\n\n' },
        { event: { type: 'content_block_delta', index: 1, delta: { type: 'unheard_of_delta', text: 'no' } } },
        { event: { type: 'unheard_of', text: 'no' } },
        { text: ' two' },
      ],
    });
    const { ending, deltas } = await ask(model);
    expect({ ending, deltas }).to.deep.equal({ ending: 'complete', deltas: ['One', ' two'] });
  });

  it('keeps characters whole that the provider splits across packets', async () => {
    const text = 'né 漢字 👩‍🚀';
    const event = { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } };
    const bytes = Buffer.from(`data: ${JSON.stringify(event)}\n\n`);
    // Apart in time as well: bytes that arrive together are read as one packet.
    provider.answerWith({ steps: [...bytes].flatMap((byte) => [{ raw: Uint8Array.of(byte) }, { wait: 1 }]) });
    expect((await ask(model)).deltas).to.deep.equal([text]);
  });

  it('brings lone surrogates, NUL and 1 MB of one line through as they are', async () => {
    const texts = ['\ud800', '\u0000', 'x'.repeat(1_000_000), 'שלום'];
    provider.answerWith({ steps: texts.map((text) => ({ text })) });
    expect((await ask(model)).deltas).to.deep.equal(texts);
  });

  it('holds the provider back while a delta is being taken', async () => {
    let stepsTaken = 0;
    function* endless() {
      for (;;) {
        stepsTaken += 1;
        yield { text: 'x'.repeat(50_000) };
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

  it('counts only waiting for the provider as silence, however long a delta takes to be taken', async () => {
    const clock = install({ toFake: ['setTimeout', 'clearTimeout'], shouldClearNativeTimers: true });
    try {
      await using patient = closing(createTestModel(provider.url, 60_000));
      const onText = () => clock.tickAsync(120_000).then(() => undefined);
      expect((await ask(patient, { onText })).ending).to.equal('complete');
    } finally {
      clock.uninstall();
    }
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

  it('rejects with what its sink throws, and leaves the provider', async () => {
    const ours = new Error('Our own mistake.');
    provider.answerWith({ steps: [{ text: 'One' }, { wait: new Promise(() => {}) }] });
    const onText = () => {
      throw ours;
    };
    const rejection = await ask(model, { onText }).catch((error: unknown) => error);
    expect(rejection).to.equal(ours);
    expect(await (await provider.request(1)).ended).to.equal('left');
  });
});
