import { useTranslations } from 'use-intl/react';
import type { FieldErrors } from '../../shared/onboarding.ts';

const parts = {
  'company.name': 'companyName',
  'company.industry': 'industry',
  'company.size': 'companySize',
  'profile.role': 'role',
  'engagement.focus': 'focus',
  'engagement.hypotheses': 'hypothesis',
  'engagement.unknowns': 'unknown',
} as const;

/** Says complaints of the form's schema in the language of the page. One that it does not know stays as it is. */
export function useComplaints(): (errors: FieldErrors) => FieldErrors {
  const say = useTranslations('complaints');

  const inOurWords = (path: string, sentence: string) => {
    const part = Object.entries(parts).find(([field]) => path.startsWith(field))?.[1];
    const most = Number(/\d+/.exec(sentence)?.[0]);
    if (part === undefined) return sentence;
    if (sentence.endsWith(' is needed.')) return say('needed', { what: say(part) });
    if (sentence.endsWith(' characters.')) return say('tooLong', { what: say(part), most });
    return sentence.endsWith(' entries.') ? say('tooMany', { most }) : sentence;
  };
  return (errors) =>
    Object.fromEntries(Object.entries(errors).map(([path, sentence]) => [path, inOurWords(path, sentence)]));
}
