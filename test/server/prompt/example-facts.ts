import type { EngagementState } from '../../../server/engagement/engagement-state.ts';
import type { PromptFacts } from '../../../server/prompt/prompts.ts';

export const engagement: EngagementState = {
  week: 3,
  focus: 'Halve the returns of winter boots.',
  hypotheses: [
    { statement: 'Most returns are a matter of size.', status: 'supported', evidence: ['Week 2: 61 of 100 returns.'] },
    { statement: 'Photographs mislead about colour.', status: 'open', evidence: [] },
  ],
  unknowns: [
    { question: 'What does a return cost?', whyItMatters: 'It bounds the remedy.' },
    { question: 'Who returns?' },
  ],
  findings: [{ statement: 'Returns doubled in a year.', week: 1 }],
};

export const facts: PromptFacts = {
  organization: { name: 'Example Boots', industry: 'Retail', size: null },
  user: { name: null, role: 'Head of returns' },
  engagement,
  today: '2026-11-21',
};
