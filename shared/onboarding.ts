import * as z from 'zod/mini';

/** What is said of a field that is missing, or of another type than `kind`. */
const complaint = (what: string, kind: string) => ({
  error: ({ input }: { input: unknown }) => (input === undefined ? `${what} is needed.` : `${what} must be ${kind}.`),
});

const line = (what: string, most: number) =>
  z
    .string(complaint(what, 'text'))
    .check(
      z.trim(),
      z.regex(/\S/, `${what} is needed.`),
      z.maxLength(most, `${what} can have at most ${most} characters.`),
    );

const statements = (whats: string, what: string) =>
  z._default(z.array(line(what, 500), complaint(whats, 'a list')).check(z.maxLength(20, 'At most 20 entries.')), []);

const anObject = (what: string) => complaint(what, 'an object');

/** The onboarding page's form post: fills the organization, the person's profile and week 1 of the engagement. */
export const onboardingSchema = z.object(
  {
    company: z.object(
      {
        name: line('The company name', 200),
        industry: line('The industry', 200),
        size: z.optional(line('The company size', 100)),
      },
      anObject('The company'),
    ),
    profile: z.object({ role: line('Your role', 200) }, anObject('The profile')),
    engagement: z.prefault(
      z.object(
        {
          focus: z.optional(line('The focus', 1000)),
          hypotheses: statements('The hypotheses', 'A hypothesis'),
          unknowns: statements('The unknowns', 'An unknown'),
        },
        anObject('The engagement'),
      ),
      {},
    ),
  },
  anObject('The form'),
);

/** The same from somebody whose organization has other members: it is described already, and a `company` is dropped. */
export const joiningSchema = z.omit(onboardingSchema, { company: true });

export type Joining = z.infer<typeof joiningSchema>;
export type Onboarding = z.infer<typeof onboardingSchema>;

/** The dotted paths (`company.industry`) of the fields that hold a `Value`. */
type PathOf<Value> = {
  [Part in keyof Onboarding]: {
    [Field in keyof Onboarding[Part]]-?: Onboarding[Part][Field] extends Value ? `${Part}.${Field & string}` : never;
  }[keyof Onboarding[Part]];
}[keyof Onboarding];

export type FieldPath = PathOf<string | undefined>;
export type ListPath = PathOf<string[]>;

/** What is said of an organization and of a person, null where nothing is: `facts` has a value for each field that there is. */
export type Described<Part extends 'company' | 'profile'> = Record<keyof Onboarding[Part], string | null>;

/** Sentences by dotted path (`company.industry`): the body of a 422. */
export const fieldErrorsSchema = z.record(z.string(), z.string());
export type FieldErrors = z.infer<typeof fieldErrorsSchema>;

/** The first complaint about each field, by its dotted path. */
export function fieldErrors(error: z.core.$ZodError): FieldErrors {
  const sentences: FieldErrors = {};
  for (const { path, message } of error.issues) sentences[path.join('.')] ??= message;
  return sentences;
}
