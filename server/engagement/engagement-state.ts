import { z } from 'zod';

const statement = z.string().trim().min(1).max(2000);

export const hypothesisSchema = z.object({
  statement,
  status: z.enum(['open', 'supported', 'refuted']).default('open'),
  evidence: z.array(statement).max(20).default([]),
});

export const unknownSchema = z.object({
  question: statement,
  whyItMatters: statement.optional(),
});

export const findingSchema = z.object({
  statement,
  week: z.int().min(1),
});

/** Where an engagement stands. The specification names the four parts; their structure is ours. */
export const engagementStateSchema = z.object({
  week: z.int().min(1).max(520),
  focus: statement.optional(),
  hypotheses: z.array(hypothesisSchema).max(100).default([]),
  unknowns: z.array(unknownSchema).max(100).default([]),
  findings: z.array(findingSchema).max(200).default([]),
});

export type EngagementState = z.infer<typeof engagementStateSchema>;
