import { expect } from 'chai';
import { describe, it } from 'mocha';
import {
  createOfflineModelServer,
  offlineReply,
  readConditioning,
  standInSentence,
} from '../../../server/embedded/offline-model.ts';
import { composeLivePrompt, demoPrompt } from '../../../server/prompt/prompts.ts';
import { modelOptions } from '../../../shared/interface.ts';
import { perSuite } from '../../support/per-suite.ts';
import { createTestModel } from '../model/ask.ts';

const firstWords = `${standInSentence} It gives`;

describe('the offline model', () => {
  const server = perSuite(() => createOfflineModelServer({ paceMilliseconds: 0 }));
  const model = perSuite(() => createTestModel(server.url));

  async function ask(content: string) {
    const deltas: string[] = [];
    const messages = [{ role: 'user', content }] as const;
    const request = { prompt: { system: demoPrompt, messages }, ...modelOptions.demo };
    const reply = model.start(request, new AbortController().signal);
    const result = await reply.stream((delta) => void deltas.push(delta));
    return { ...result, deltas, text: deltas.join('') };
  }

  it('streams a reply word by word under its own name', async () => {
    const { ending, usage, stopReason, model: named, deltas, text } = await ask('What next?');
    expect({ ending, named, stopReason }).to.deep.equal({
      ending: 'complete',
      named: 'offline-stand-in',
      stopReason: 'end_turn',
    });
    expect(text.slice(0, firstWords.length)).to.equal(firstWords);
    expect(text).to.contain('Your message was “What next?”');
    expect(deltas).to.deep.equal(text.match(/\s*\S+/g));
    expect(usage.inputTokens).to.be.greaterThan(1000);
    expect(usage.outputTokens).to.equal(Math.ceil(text.length / 4));
  });

  for (const [phrase, stopReason, isExpected] of [
    ['please say nothing', 'end_turn', (text: string) => text === ''],
    ['please decline', 'refusal', (text: string) => text.startsWith(firstWords) && text.split(' ').length === 12],
    [
      'please reach the maximum length',
      'max_tokens',
      (text: string) => /\w$/.test(text) && text.length > 4 * modelOptions.demo.maxTokens - 10,
    ],
    [
      'please show all formats',
      'end_turn',
      (text: string) => ['| Region |', '~~~mermaid', '\\frac{', '~~~sql', '- [x]'].every((mark) => text.includes(mark)),
    ],
    ['please write a long reply', 'end_turn', (text: string) => text.length > 1000],
  ] as const) {
    it(`ends with ${stopReason} if the question contains “${phrase}”`, async () => {
      const { ending, stopReason: stated, text } = await ask(phrase);
      expect({ ending, stopReason: stated }).to.deep.equal({ ending: 'complete', stopReason });
      expect(text).to.satisfy(isExpected);
    });
  }

  for (const [phrase, ...codes] of [
    ['please be overloaded twice', 'UPSTREAM_OVERLOADED', 'UPSTREAM_OVERLOADED', undefined, 'UPSTREAM_OVERLOADED'],
    ['please be overloaded', 'UPSTREAM_OVERLOADED', 'UPSTREAM_OVERLOADED'],
    ['please fail once', 'UPSTREAM_ERROR', undefined, 'UPSTREAM_ERROR'],
    ['please fail', 'UPSTREAM_ERROR', 'UPSTREAM_ERROR'],
    ['please refuse the request', 'UPSTREAM_BAD_REQUEST', 'UPSTREAM_BAD_REQUEST'],
    ['please reject the key', 'UPSTREAM_AUTH', 'UPSTREAM_AUTH'],
    ['please cut the connection', 'UPSTREAM_ERROR'],
  ] as const) {
    it(`fails as documented if the question contains “${phrase}”`, async () => {
      for (const code of codes) expect((await ask(phrase)).error?.code).to.equal(code);
    });
  }
});

describe('the offline reply', () => {
  it('names the organization, user and engagement state of the prompt, the question, and how to connect a model', () => {
    const livePrompt = composeLivePrompt({
      organization: { name: 'Quillmoor Ferries', industry: 'Transport', size: null },
      user: { name: 'A. Person', role: 'Operations director' },
      engagement: {
        week: 3,
        focus: 'Sail on time.',
        hypotheses: ['Tides', 'Crew', 'Loading', 'Tickets', 'Weather'].map((statement) => ({
          statement,
          status: 'open' as const,
          evidence: [],
        })),
        unknowns: [{ question: 'Who decides on a delay?' }],
        findings: [],
      },
      today: '2026-11-20',
    });
    const reply = offlineReply(readConditioning(livePrompt), 'What\nnext?', 2);
    for (const fact of [
      'about **Quillmoor Ferries**, with you as A. Person (Operations director), in week 3 of the engagement.',
      'The focus: Sail on time.',
      '5 hypotheses:\n- Tides (open)\n- Crew (open)\n- Loading (open)\n- … and 2 more',
      '1 unknown:\n- Who decides on a delay?',
      'No findings.',
      'Your message was “What next?”, sent with 2 earlier messages.',
      '`ANTHROPIC_API_KEY`',
    ]) {
      expect(reply).to.include(fact);
    }
  });

  it('names the fictional engagement of demo chat', () => {
    const reply = offlineReply(readConditioning([...demoPrompt]), 'Hello', 0);
    expect(reply).to.contain('**Neverholm Pump Works**, in week 6 of the engagement.');
    expect(reply).to.contain(', sent with no earlier messages.');
  });
});
