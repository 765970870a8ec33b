import type { Onboarding } from '../../shared/onboarding.ts';

export const exampleOnboarding = {
  company: { name: 'Example Castings', industry: 'Metal casting', size: '120 people' },
  profile: { role: 'Head of operations' },
  engagement: {
    focus: 'Shorter lead times',
    hypotheses: ['Most of the lead time is waiting'],
    unknowns: ['What waiting costs'],
  },
} satisfies Onboarding;
