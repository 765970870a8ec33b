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
    /** True while the person is not onboarded and has colleagues there: they do not describe the organization. */
    shared: z.optional(z.literal(true)),
  }),
});

export type User = z.infer<typeof userSchema>;

/** What `GET /auth/session` answers: who is signed in, if anyone, and how one can sign in here. */
export const sessionSchema = z.object({ user: z.nullable(userSchema), providers: z.array(z.enum(providerNames)) });

export type Session = z.infer<typeof sessionSchema>;

/** Why a sign-in ended without a session: `?problem=` of the sign-in page, and the sentence that the page shows. */
export const signInProblems = {
  cancelled: 'Sign-in was cancelled or refused at the provider. You can try again, or choose another provider.',
  expired: 'That sign-in attempt is no longer valid. Please start again from this page.',
  cookies:
    'Your browser did not send the cookie that signing in needs. Allow cookies for this site, then start again from this page.',
  unavailable: 'The provider did not answer as expected. Please try again in a moment, or choose another provider.',
  uninvited:
    'This service is open to invited people only. Ask whoever runs it here for an invitation, and open the link that you are sent.',
  invitation: 'This invitation has been used already, has expired or was withdrawn. Ask whoever sent it for a new one.',
  suspended: 'This account has been suspended. Ask whoever runs this service to restore it.',
} as const;

export type SignInProblem = keyof typeof signInProblems;
