import { z } from 'zod';
import type { OnboardingForm } from '../../shared/onboarding.ts';

const entrySchema = z.object({ id: z.number(), text: z.string() });

/** What stands in the fields of the onboarding page, finished or not. */
export const formSchema = z.object({
  companyName: z.string(),
  industry: z.string(),
  companySize: z.string(),
  role: z.string(),
  focus: z.string(),
  hypotheses: z.array(entrySchema),
  unknowns: z.array(entrySchema),
});

export type Form = z.infer<typeof formSchema>;

/** One of a list of statements; `id` tells entries apart while they are edited. */
export type Entry = z.infer<typeof entrySchema>;

export const emptyForm: Form = {
  companyName: '',
  industry: '',
  companySize: '',
  role: '',
  focus: '',
  hypotheses: [],
  unknowns: [],
};

/** The entries and a new, empty one. */
export function addEntry(entries: readonly Entry[]): Entry[] {
  return [...entries, { id: Math.max(0, ...entries.map(({ id }) => id)) + 1, text: '' }];
}

/** The form without the entries that were left blank, so that complaints about entries count the ones on the page. */
export function withoutBlankEntries(form: Form): Form {
  const filled = ({ text }: Entry) => text.trim() !== '';
  return { ...form, hypotheses: form.hypotheses.filter(filled), unknowns: form.unknowns.filter(filled) };
}

/** The request body that the fields make. What is optional and blank is left out. */
export function toRequest(form: Form): OnboardingForm {
  const size = form.companySize.trim();
  const focus = form.focus.trim();
  return {
    company: { name: form.companyName, industry: form.industry, ...(size && { size }) },
    profile: { role: form.role },
    engagement: {
      ...(focus && { focus }),
      hypotheses: form.hypotheses.map(({ text }) => text),
      unknowns: form.unknowns.map(({ text }) => text),
    },
  };
}
