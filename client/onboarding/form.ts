import * as z from 'zod/mini';
import {
  type FieldErrors,
  fieldErrors,
  type JoiningForm,
  joiningSchema,
  type OnboardingForm,
  onboardingSchema,
} from '../../shared/onboarding.ts';

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
  hypotheses: [{ id: 1, text: '' }],
  unknowns: [{ id: 1, text: '' }],
};

/** The entries and a new, empty one. */
export function addEntry(entries: readonly Entry[]): Entry[] {
  return [...entries, { id: Math.max(0, ...entries.map(({ id }) => id)) + 1, text: '' }];
}

/** The request body that the fields make. What is optional and blank is left out. */
export function toRequest(form: Form): OnboardingForm {
  const size = form.companySize.trim();
  return {
    company: { name: form.companyName, industry: form.industry, ...(size && { size }) },
    ...toJoiningRequest(form),
  };
}

/** The same for somebody whose organization is described already. */
export function toJoiningRequest(form: Form): JoiningForm {
  const focus = form.focus.trim();
  return {
    profile: { role: form.role },
    engagement: {
      ...(focus && { focus }),
      hypotheses: filled(form.hypotheses).map(({ text }) => text),
      unknowns: filled(form.unknowns).map(({ text }) => text),
    },
  };
}

/** What is wrong with the form as it stands, by field. */
export function complaints(form: Form, { isJoining }: { isJoining: boolean }): FieldErrors {
  const { error } = isJoining
    ? joiningSchema.safeParse(toJoiningRequest(form))
    : onboardingSchema.safeParse(toRequest(form));
  return error ? byField(form, fieldErrors(error)) : {};
}

/**
 * Complaints about the request that `form` makes, by the fields of the form: an entry of a list is named by its id
 * (`engagement.unknowns.3`), so that a complaint stays with it whatever is blank or removed before it.
 */
export function byField(form: Form, errors: FieldErrors): FieldErrors {
  const idAt = (list: string, index: number) => {
    const entries = list === 'hypotheses' ? form.hypotheses : form.unknowns;
    return filled(entries)[index]?.id ?? index;
  };
  return Object.fromEntries(
    Object.entries(errors).map(([path, sentence]) => [
      path.replace(/(hypotheses|unknowns)\.(\d+)$/, (_, list, index) => `${list}.${idAt(list, Number(index))}`),
      sentence,
    ]),
  );
}

function filled(entries: readonly Entry[]): Entry[] {
  return entries.filter(({ text }) => text.trim() !== '');
}
