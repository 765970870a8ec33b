import * as z from 'zod/mini';

export const organizationSchema = z.object({ id: z.string(), name: z.string() });

/**
 * What `POST /auth/join` takes: the token of an invitation, and from a person who joins the ids of the organization that
 * they leave and of the one that they join.
 */
export const joinRequestSchema = z.object({
  invitation: z.string(),
  from: z.optional(z.string()),
  to: z.optional(z.string()),
});

export type JoinRequest = z.infer<typeof joinRequestSchema>;

/** What it answers where it is only asked: the person's organization, and the one of the invitation if it names one. */
export const joinQuestionSchema = z.object({ from: organizationSchema, to: z.nullable(organizationSchema) });

export type JoinQuestion = z.infer<typeof joinQuestionSchema>;
