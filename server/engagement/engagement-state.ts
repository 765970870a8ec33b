import { z } from 'zod';
import { isVisible } from '../../shared/visible-text.ts';

const statementSchema = z.string().trim().refine(isVisible, 'The text is blank.').max(1000);

const hypothesisSchema = z.object({
  statement: statementSchema,
  status: z.enum(['open', 'supported', 'refuted']).default('open'),
  evidence: z.array(statementSchema).max(10).default([]),
});

const unknownSchema = z.object({
  question: statementSchema,
  whyItMatters: statementSchema.optional(),
});

const findingSchema = z.object({
  statement: statementSchema,
  week: z.int().min(1),
});

export const maxHypotheses = 30;
export const maxUnknowns = 50;
const maxFindings = 100;

/**
 * The specification names `week`, `hypotheses`, `unknowns` and `findings`, but not their structure. The limits keep the
 * largest state within the model's context window.
 */
export const engagementStateSchema = z.object({
  week: z.int().min(1).max(520),
  focus: statementSchema.optional(),
  hypotheses: z.array(hypothesisSchema).max(maxHypotheses).default([]),
  unknowns: z.array(unknownSchema).max(maxUnknowns).default([]),
  findings: z.array(findingSchema).max(maxFindings).default([]),
});

/** Each part has a column of the same name. */
export const engagementParts: readonly string[] = Object.keys(engagementStateSchema.shape);

export type EngagementState = z.infer<typeof engagementStateSchema>;

const recordedFindingSchema = findingSchema.partial({ week: true });

/** The readable parts of a stored state. The week of the engagement, or of a finding, can be missing. */
export type RecordedEngagement = Omit<EngagementState, 'week' | 'findings'> & {
  week?: number;
  findings: z.infer<typeof recordedFindingSchema>[];
};

/** A string is shorthand for an object with only the property `key`. */
function expandString(entry: unknown, key: string): unknown {
  return typeof entry === 'string' ? { [key]: entry } : entry;
}

/**
 * Reads a stored state, which an operator may have written in SQL in any form. `unreadable` has the paths of the parts that are left
 * out, such as `hypotheses` or `findings.2`; the path of the first entry beyond a limit stands for all of them.
 */
export function readEngagementState(stored: Readonly<Partial<Record<keyof EngagementState, unknown>>>) {
  const unreadable: string[] = [];

  function read<T>(path: string, schema: z.ZodType<T>, value: unknown): T | undefined {
    const { data, success } = schema.safeParse(value);
    if (!success) unreadable.push(path);
    return data;
  }

  function readList<T>(
    field: 'hypotheses' | 'unknowns' | 'findings',
    schema: z.ZodType<T>,
    key: string,
    max: number,
  ): T[] {
    const list = read(field, z.array(z.unknown()), stored[field]) ?? [];
    if (list.length > max) unreadable.push(`${field}.${max}`);
    return list
      .slice(0, max)
      .map((entry, index) => read(`${field}.${index}`, schema, expandString(entry, key)))
      .filter((entry) => entry !== undefined);
  }

  const { week: weekSchema } = engagementStateSchema.shape;
  const week = read('week', weekSchema, stored.week);
  const focus = read('focus', statementSchema.optional(), stored.focus ?? undefined);
  const state: RecordedEngagement = {
    ...(week !== undefined && { week }),
    ...(focus !== undefined && { focus }),
    hypotheses: readList('hypotheses', hypothesisSchema, 'statement', maxHypotheses),
    unknowns: readList('unknowns', unknownSchema, 'question', maxUnknowns),
    findings: readList('findings', recordedFindingSchema, 'statement', maxFindings),
  };
  return { state, unreadable };
}
