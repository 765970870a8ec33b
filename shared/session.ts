import * as z from 'zod/mini';

export const providerNames = ['google', 'github', 'microsoft'] as const;
export type ProviderName = (typeof providerNames)[number];

export const providerLabels: Record<ProviderName, string> = {
  google: 'Google',
  github: 'GitHub',
  microsoft: 'Microsoft',
};

export const userSchema = z.object({
  id: z.string(),
  name: z.nullable(z.string()),
  email: z.nullable(z.string()),
  onboarded: z.boolean(),
  organization: z.object({
    id: z.string(),
    name: z.string(),
    /** True if the organization has other members, so the user does not describe it at onboarding. Absent after onboarding. */
    shared: z.optional(z.literal(true)),
  }),
});

export type User = z.infer<typeof userSchema>;

const knownProvidersSchema = z.pipe(
  z.array(z.string()),
  z.transform((names) => providerNames.filter((name) => names.includes(name))),
);

/**
 * The response of `GET /auth/session`: the signed-in user, if any, and the providers that this service offers. A page of an older
 * release ignores the providers that a newer service has added.
 */
export const sessionSchema = z.object({ user: z.nullable(userSchema), providers: knownProvidersSchema });

export type Session = z.infer<typeof sessionSchema>;

/** The value of the parameter `prompt` with which every provider asks for the account to use. */
export const selectAccountPrompt = 'select_account';

/** The values of `?problem=` on the sign-in page after a failed sign-in, and their sentences in English. */
export const signInProblems = {
  cancelled: 'Sign-in was cancelled or denied. Try again, or choose another provider.',
  expired: 'This sign-in attempt has expired. Start again from this page.',
  cookies:
    'Your browser didn’t send the cookie that sign-in requires. Allow cookies for this site, then start again from this page.',
  unavailable: 'The provider isn’t responding as expected. Try again in a moment, or choose another provider.',
  uninvited:
    'This service is by invitation only. Ask your administrator for an invitation, then open the link you receive.',
  invitation: 'This invitation has expired, was revoked or has already been used. Ask for a new one.',
  suspended: 'This account is suspended. Ask your administrator to restore it.',
} as const;

export type SignInProblem = keyof typeof signInProblems;
