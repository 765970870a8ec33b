import * as z from 'zod/mini';

const requiredError = (label: string, type: string) => ({
  error: ({ input }: { input: unknown }) =>
    input === undefined ? `${label} is required.` : `${label} must be ${type}.`,
});

const line = (label: string, maxLength: number) =>
  z
    .string(requiredError(label, 'text'))
    .check(
      z.trim(),
      z.regex(/\S/, `${label} is required.`),
      z.maxLength(maxLength, `${label} can have at most ${maxLength} characters.`),
    );

const statements = (plural: string, singular: string) =>
  z._default(
    z.array(line(singular, 500), requiredError(plural, 'a list')).check(z.maxLength(20, 'At most 20 entries.')),
    [],
  );

const objectError = (label: string) => requiredError(label, 'an object');

/** The body of `POST /onboarding`: the organization, the user's profile and week 1 of the engagement. */
export const onboardingSchema = z.object(
  {
    company: z.object(
      {
        name: line('The company name', 200),
        industry: line('The industry', 200),
        size: z.optional(line('The company size', 100)),
      },
      objectError('The company'),
    ),
    profile: z.object({ role: line('Your role', 200) }, objectError('The profile')),
    engagement: z.prefault(
      z.object(
        {
          focus: z.optional(line('The focus', 1000)),
          hypotheses: statements('The hypotheses', 'A hypothesis'),
          unknowns: statements('The unknowns', 'An unknown'),
        },
        objectError('The engagement'),
      ),
      {},
    ),
  },
  objectError('The form'),
);

/** The onboarding form of a user whose organization already has members. It has no `company`; a submitted one is ignored. */
export const memberOnboardingSchema = z.omit(onboardingSchema, { company: true });

export type MemberOnboarding = z.infer<typeof memberOnboardingSchema>;
export type Onboarding = z.infer<typeof onboardingSchema>;

/** The dotted paths (`company.industry`) of the fields of type `Value`. */
type PathOf<Value> = {
  [Part in keyof Onboarding]: {
    [Field in keyof Onboarding[Part]]-?: Onboarding[Part][Field] extends Value ? `${Part}.${Field & string}` : never;
  }[keyof Onboarding[Part]];
}[keyof Onboarding];

export type FieldPath = PathOf<string | undefined>;
export type ListPath = PathOf<string[]>;

/** The stored answers of one part of the form; null for a question without an answer. */
export type StoredAnswers<Part extends 'company' | 'profile'> = Record<keyof Onboarding[Part], string | null>;

/** Sentences by dotted path (`company.industry`): the body of a 422. */
export const fieldErrorsSchema = z.record(z.string(), z.string());
export type FieldErrors = z.infer<typeof fieldErrorsSchema>;

/** Returns the first error of each field. */
export function fieldErrors(error: z.core.$ZodError): FieldErrors {
  const sentences: FieldErrors = {};
  for (const { path, message } of error.issues) sentences[path.join('.')] ??= message;
  return sentences;
}
