import { expect } from 'chai';
import { describe, it } from 'mocha';
import { offlineReply, readConditioning } from '../../../server/embedded/offline-model.ts';
import { composeLivePrompt, demoPrompt } from '../../../server/prompt/prompts.ts';

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

describe('the offline reply', () => {
  it('names what it was conditioned on, what was asked and how to connect a model', () => {
    const reply = offlineReply(readConditioning(livePrompt), 'What\nnext?', 2);
    for (const fact of [
      'about **Quillmoor Ferries**, with you as A. Person (Operations director), in week 3 of the engagement.',
      'The focus: Sail on time.',
      '5 hypotheses:\n- Tides (open)\n- Crew (open)\n- Loading (open)\n- … and 2 more',
      '1 unknown:\n- Who decides on a delay?',
      'No findings.',
      'You asked: “What next?” 2 earlier messages came with it.',
      '`ANTHROPIC_API_KEY`',
    ]) {
      expect(reply).to.include(fact);
    }
  });

  it('names the fictional engagement of demo chat', () => {
    const reply = offlineReply(readConditioning([...demoPrompt]), 'Hello', 0);
    expect(reply).to.contain('**Neverholm Pump Works**, in week 6 of the engagement.');
    expect(reply).to.contain('No earlier messages came with it.');
  });
});
