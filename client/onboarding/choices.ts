/** Proposals for the fields of the onboarding page; anything else can be typed as well. */
export const choices = {
  industry: [
    'Agriculture and food',
    'Construction and real estate',
    'Education',
    'Energy and utilities',
    'Financial services',
    'Health care',
    'Logistics and transport',
    'Manufacturing',
    'Professional services',
    'Public sector',
    'Retail and consumer goods',
    'Software and technology',
  ],
  companySize: ['1 to 10 people', '11 to 50 people', '51 to 250 people', '251 to 1,000 people', 'Over 1,000 people'],
  role: ['Managing director', 'Head of operations', 'Head of finance', 'Head of sales', 'Project lead', 'Adviser'],
} as const;
