import type { FieldError, FieldPath, FieldSentences, ListPath } from '../../shared/onboarding.ts';

type Part = 'company' | 'profile' | 'engagement';

const labels: Record<'' | Part | FieldPath | ListPath | `${ListPath}.`, string> = {
  '': 'The form',
  company: 'The company',
  'company.name': 'The company name',
  'company.industry': 'The industry',
  'company.size': 'The company size',
  profile: 'The profile',
  'profile.role': 'Your role',
  engagement: 'The engagement',
  'engagement.focus': 'The focus',
  'engagement.hypotheses': 'The hypotheses',
  'engagement.hypotheses.': 'A hypothesis',
  'engagement.unknowns': 'The unknowns',
  'engagement.unknowns.': 'An unknown',
};

export function fieldSentences(errors: readonly FieldError[]): FieldSentences {
  return Object.fromEntries(errors.map((error) => [error.field, sentenceOf(error)]));
}

function sentenceOf({ field, code, limit }: FieldError): string {
  // An entry of a list ends with its index.
  const path = field.replace(/\d+$/, '') as keyof typeof labels;
  switch (code) {
    case 'required':
      return `${labels[path]} is required.`;
    case 'wrongType':
      return `${labels[path]} must be ${typeAt(path)}.`;
    case 'tooLong':
      return `${labels[path]} can have at most ${limit} characters.`;
    case 'tooMany':
      return `At most ${limit} entries.`;
  }
}

const lists: readonly string[] = ['engagement.hypotheses', 'engagement.unknowns'] satisfies ListPath[];

function typeAt(path: string): string {
  if (lists.includes(path)) return 'a list';
  return path.includes('.') ? 'text' : 'an object';
}
