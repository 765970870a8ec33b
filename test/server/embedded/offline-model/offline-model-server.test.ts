import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { createOfflineModelServer } from '../../../../server/embedded/offline-model/offline-model-server.ts';
import { offlinePhrases } from '../../../../server/embedded/offline-model/offline-phrases.ts';
import { standInSentence } from '../../../../server/embedded/offline-model/offline-reply.ts';
import { createAnthropicModel } from '../../../../server/model/anthropic-model.ts';
import type { Model, ModelOutcome } from '../../../../server/model/model.ts';
import { demoPrompt } from '../../../../server/prompt/demo-prompt.ts';

const firstWords = `${standInSentence} It gives`;

describe('the offline model', () => {
  let server: Awaited<ReturnType<typeof createOfflineModelServer>>;
  let model: Model;

  before(async () => {
    server = await createOfflineModelServer({ paceMilliseconds: 0 });
    model = createAnthropicModel({
      apiKey: undefined,
      baseUrl: server.url,
      model: 'configured-model',
      idleTimeoutMilliseconds: 5_000,
    });
  });
  after(async () => {
    await model.close();
    await server.close();
  });

  /** Says `question`; leaves once the text is as long as `enough`. */
  async function say(question: string, enough = Infinity) {
    const leaving = new AbortController();
    const deltas: string[] = [];
    let characters = 0;
    const outcome = await model.reply(
      { system: demoPrompt, messages: [{ role: 'user', content: question }], maxTokens: 2048, effort: 'medium' },
      (delta) => {
        deltas.push(delta);
        characters += delta.length;
        if (characters >= enough) leaving.abort();
      },
      leaving.signal,
    );
    return { ...outcome, text: deltas.join(''), deltas };
  }

  const ending = ({ ending, error }: ModelOutcome) => error?.code ?? ending;

  it('streams a reply word by word and puts its own name to it', async () => {
    const { text, deltas, usage, stopReason, model: named, ...outcome } = await say('What next?');
    expect(ending({ ...outcome, usage, stopReason, model: named })).to.equal('complete');
    expect(text.startsWith(firstWords)).to.equal(true);
    expect(text).to.contain('You asked: “What next?”');
    expect(deltas).to.deep.equal(text.match(/\s*\S+/g));
    expect({ named, stopReason }).to.deep.equal({ named: 'offline-stand-in', stopReason: 'end_turn' });
    expect(usage.inputTokens).to.be.greaterThan(1000);
    expect(usage.outputTokens).to.equal(Math.ceil(text.length / 4));
  });

  const outcomes: Record<string, { endings: string[]; text?: string; leaveAfter?: number }> = {
    'please be overloaded twice': { endings: ['UPSTREAM_OVERLOADED', 'UPSTREAM_OVERLOADED', 'complete'] },
    'please be overloaded': { endings: Array.from({ length: 5 }, () => 'UPSTREAM_OVERLOADED'), text: '' },
    'please fail once': { endings: ['UPSTREAM_ERROR', 'complete', 'UPSTREAM_ERROR'] },
    'please fail midway': { endings: ['UPSTREAM_ERROR'], text: firstWords },
    'please fail': { endings: ['UPSTREAM_ERROR', 'UPSTREAM_ERROR'], text: '' },
    'please refuse the request': { endings: ['UPSTREAM_BAD_REQUEST'], text: '' },
    'please reject the key': { endings: ['UPSTREAM_AUTH'], text: '' },
    'please cut the connection': { endings: ['UPSTREAM_ERROR'], text: firstWords },
    'please stall': { endings: ['aborted'], text: firstWords, leaveAfter: firstWords.length },
    'please be slow': { endings: ['aborted'], text: 'This is', leaveAfter: 'This is'.length },
    'please write a long reply': { endings: ['complete'] },
  };

  for (const { phrase, effect } of offlinePhrases) {
    it(`${effect}, told “${phrase}”`, async () => {
      const { endings = [], text, leaveAfter } = outcomes[phrase] ?? {};
      const seen = [];
      for (const _ of endings) seen.push(await say(`Now, ${phrase.toUpperCase()}!`, leaveAfter));
      expect(seen.map(ending)).to.deep.equal(endings);
      if (text !== undefined) expect(seen.at(-1)?.text).to.equal(text);
    });
  }
});
