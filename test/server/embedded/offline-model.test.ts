import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createOfflineModelServer, standInSentence } from '../../../server/embedded/offline-model.ts';
import { createAnthropicModel } from '../../../server/model/anthropic-model.ts';
import { demoPrompt } from '../../../server/prompt/prompts.ts';
import { modelOptions } from '../../../shared/interface.ts';
import { ofSuite } from '../../support/of-suite.ts';

const firstWords = `${standInSentence} It gives`;

describe('the offline model', () => {
  const server = ofSuite(() => createOfflineModelServer({ paceMilliseconds: 0 }));
  const model = ofSuite(() =>
    createAnthropicModel({
      apiKey: undefined,
      baseUrl: server.url,
      model: 'configured-model',
      idleTimeoutMilliseconds: 5_000,
    }),
  );

  it('streams a reply word by word and puts its own name to it', async () => {
    const deltas: string[] = [];
    const {
      ending,
      usage,
      stopReason,
      model: named,
    } = await model.reply(
      {
        prompt: () => ({ system: demoPrompt, messages: [{ role: 'user', content: 'What next?' }] }),
        maxTokens: 2048,
        effort: 'medium',
      },
      (delta) => void deltas.push(delta),
      new AbortController().signal,
    );
    const text = deltas.join('');
    expect(ending).to.equal('complete');
    expect(text.slice(0, firstWords.length)).to.equal(firstWords);
    expect(text).to.contain('You asked: “What next?”');
    expect(deltas).to.deep.equal(text.match(/\s*\S+/g));
    expect({ named, stopReason }).to.deep.equal({ named: 'offline-stand-in', stopReason: 'end_turn' });
    expect(usage.inputTokens).to.be.greaterThan(1000);
    expect(usage.outputTokens).to.equal(Math.ceil(text.length / 4));
  });

  for (const [phrase, stopReason, isExpected] of [
    ['please say nothing', 'end_turn', (text: string) => text === ''],
    ['please decline', 'refusal', (text: string) => text.startsWith(firstWords) && text.split(' ').length === 12],
    [
      'please reach the maximum length',
      'max_tokens',
      (text: string) => /\w$/.test(text) && text.length > 4 * 2048 - 10,
    ],
  ] as const) {
    it(`ends with ${stopReason} at “${phrase}”`, async () => {
      let text = '';
      const outcome = await model.reply(
        {
          prompt: () => ({ system: demoPrompt, messages: [{ role: 'user', content: phrase }] }),
          maxTokens: 2048,
          effort: 'medium',
        },
        (delta) => {
          text += delta;
        },
        new AbortController().signal,
      );
      expect({ ending: outcome.ending, stopReason: outcome.stopReason }).to.deep.equal({
        ending: 'complete',
        stopReason,
      });
      expect(text).to.satisfy(isExpected);
    });
  }

  it('keeps its longest reply within the bytes of demo chat', async () => {
    const messages = [{ role: 'user', content: 'please write a long reply' }] as const;
    const { ending } = await model.reply(
      { prompt: () => ({ system: demoPrompt, messages }), maxTokens: modelOptions.demo.maxTokens, effort: 'medium' },
      () => undefined,
      new AbortController().signal,
    );
    expect(ending).to.equal('complete');
  });

  for (const [phrase, ...codes] of [
    ['please be overloaded twice', 'UPSTREAM_OVERLOADED', 'UPSTREAM_OVERLOADED', undefined],
    ['please fail once', 'UPSTREAM_ERROR', undefined],
    ['please cut the connection', 'UPSTREAM_ERROR'],
  ] as const) {
    it(`does as it is told by “${phrase}”`, async () => {
      const ask = () =>
        model.reply(
          {
            prompt: () => ({ system: demoPrompt, messages: [{ role: 'user', content: phrase }] }),
            maxTokens: 2048,
            effort: 'medium',
          },
          () => undefined,
          new AbortController().signal,
        );
      for (const code of codes) expect((await ask()).error?.code).to.equal(code);
    });
  }
});
