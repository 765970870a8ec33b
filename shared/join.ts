import * as z from 'zod/mini';

export const organizationSchema = z.object({ id: z.string(), name: z.string() });

/**
 * The body of `POST /auth/join`. With only the token, the request asks for a `JoinQuestion`. To join, the client repeats it
 * with the ids of the organization to leave (`from`) and of the one to join (`to`).
 */
export const joinRequestSchema = z.object({
  invitation: z.string(),
  from: z.optional(z.string()),
  to: z.optional(z.string()),
});

export type JoinRequest = z.infer<typeof joinRequestSchema>;

/** The user's organization and the one to join; `to` is null if the invitation names no organization. */
export const joinQuestionSchema = z.object({ from: organizationSchema, to: z.nullable(organizationSchema) });

export type JoinQuestion = z.infer<typeof joinQuestionSchema>;
