import { z } from 'zod';
import { isVisible } from '../../shared/visible-text.ts';

const statement = z.string().trim().refine(isVisible, 'The text is blank.').max(1000);

const hypothesisSchema = z.object({
  statement,
  status: z.enum(['open', 'supported', 'refuted']).default('open'),
  evidence: z.array(statement).max(10).default([]),
});

const unknownSchema = z.object({
  question: statement,
  whyItMatters: statement.optional(),
});

const findingSchema = z.object({
  statement,
  week: z.int().min(1),
});

export const maxHypotheses = 30;
export const maxUnknowns = 50;

/**
 * The specification names `week`, `hypotheses`, `unknowns` and `findings`, but not their structure. The limits keep the
 * largest state within the model's context window.
 */
export const engagementStateSchema = z.object({
  week: z.int().min(1).max(520),
  focus: statement.optional(),
  hypotheses: z.array(hypothesisSchema).max(maxHypotheses).default([]),
  unknowns: z.array(unknownSchema).max(maxUnknowns).default([]),
  findings: z.array(findingSchema).max(100).default([]),
});

export type EngagementState = z.infer<typeof engagementStateSchema>;
