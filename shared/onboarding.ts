import * as z from 'zod/mini';
import { isVisible } from './visible-text.ts';

/** `required` is the code for a missing value and for one without a visible character. */
type FieldErrorCode = 'required' | 'wrongType' | 'tooLong' | 'tooMany';

// The message of each check is its code.
const code = (name: FieldErrorCode) => name;

const typeError = { error: ({ input }: { input: unknown }) => code(input === undefined ? 'required' : 'wrongType') };

/** A plain function, because `z.refine` would enlarge the first load of the page, which has every part of zod that any page uses. */
const requireVisible = ({ value, issues }: z.core.ParsePayload<string>): void => {
  if (!isVisible(value)) issues.push({ code: 'custom', input: value, message: code('required') });
};

// OpenAPI documents the pattern. The regular expressions of other languages lack the property escapes of `isVisible`.
const lineSchema = (maxLength: number) =>
  z
    .string(typeError)
    .check(z.trim(), z.regex(/\S/, code('required')), requireVisible, z.maxLength(maxLength, code('tooLong')));

const statementsSchema = () =>
  z._default(z.array(lineSchema(500), typeError).check(z.maxLength(20, code('tooMany'))), []);

/** The body of `POST /onboarding`: the organization, the user's profile and week 1 of the engagement. */
export const onboardingSchema = z.object(
  {
    company: z.object(
      {
        name: lineSchema(200),
        industry: lineSchema(200),
        size: z.optional(lineSchema(100)),
      },
      typeError,
    ),
    profile: z.object({ role: lineSchema(200) }, typeError),
    engagement: z.prefault(
      z.object(
        {
          focus: z.optional(lineSchema(1000)),
          hypotheses: statementsSchema(),
          unknowns: statementsSchema(),
        },
        typeError,
      ),
      {},
    ),
  },
  typeError,
);

/** The onboarding form of a user whose organization has other members. It has no `company`; a submitted one is ignored. */
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

/** An invalid field by its dotted path, with the maximum of the exceeded limit. An entry of a list ends with its index. */
export type FieldError = { field: string; code: FieldErrorCode; limit?: number };

export function fieldErrors(error: z.core.$ZodError): FieldError[] {
  const errors = new Map<string, FieldError>();
  for (const issue of error.issues) {
    const field = issue.path.join('.');
    const limit = issue.code === 'too_big' ? { limit: Number(issue.maximum) } : {};
    if (!errors.has(field)) errors.set(field, { field, code: issue.message as FieldErrorCode, ...limit });
  }
  return [...errors.values()];
}

/** The body of a 422: sentences by dotted path. */
export const fieldSentencesSchema = z.catchall(z.object({}), z.string());
export type FieldSentences = z.infer<typeof fieldSentencesSchema>;
