import { createReadStream } from 'node:fs';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { type EngagementState, engagementStateSchema } from '../engagement/engagement-state.ts';
import type { OptionValues } from './command.ts';

const changesSchema = z.record(z.string(), z.unknown(), 'The state must be a JSON object.');

/** Unvalidated parts of an engagement state. */
type EngagementChanges = z.infer<typeof changesSchema>;

/**
 * Reads the parts from the file and the options. Options take precedence.
 * @throws Error with a message for the operator if the file is not readable or has no JSON object, or if an option is not valid
 */
export async function readChanges({ file, week, focus, ...lists }: OptionValues): Promise<EngagementChanges> {
  const changes = file === undefined ? {} : parseObject(await readSource(file), file);
  if (week !== undefined) {
    changes.week = Number(week);
    if (Number.isNaN(changes.week)) throw new Error('--week must be a number.');
  }
  if (focus !== undefined) changes.focus = focus;
  for (const part of ['hypotheses', 'unknowns', 'findings'] as const) {
    const json = lists[part];
    if (json !== undefined) changes[part] = parseJson(json, `--${part}`);
  }
  return changes;
}

const emptyState: EngagementState = { week: 1, hypotheses: [], unknowns: [], findings: [] };

/**
 * Returns the changed state. Starts from an empty state of week 1 if `current` is null. Parts without a change stay as they are, even
 * invalid ones that were written in SQL. A string in a list is shorthand for an entry with this text; a finding gets the week of the
 * state. An empty focus removes it.
 * @throws Error that lists all validation errors with their paths
 */
export function applyChanges(current: EngagementState | null, changes: EngagementChanges): EngagementState {
  const { focus: focusBefore, ...before } = current ?? emptyState;
  const { focus, hypotheses, unknowns, findings, ...others } = changes;
  const week = others.week ?? before.week;
  const { data, error } = engagementStateSchema
    .partial()
    .strict()
    .safeParse({
      ...others,
      ...('focus' in changes && focus !== '' && focus !== null && { focus }),
      hypotheses: expandStrings(hypotheses, (statement) => ({ statement })),
      unknowns: expandStrings(unknowns, (question) => ({ question })),
      findings: expandStrings(findings, (statement) => ({ statement, week })),
    });
  if (error === undefined) {
    const changed = Object.entries(data).filter(([part]) => part in changes);
    const keepsFocus = !('focus' in changes) && focusBefore !== undefined;
    return { ...before, ...(keepsFocus && { focus: focusBefore }), ...Object.fromEntries(changed) };
  }
  const problems = error.issues.map(
    ({ path, message }) => `  - ${path.length > 0 ? `${path.join('.')}: ` : ''}${message}`,
  );
  throw new Error(['The engagement state is not valid. Nothing was changed:', ...problems].join('\n'));
}

function expandStrings(list: unknown, entryOf: (text: string) => object): unknown {
  if (!Array.isArray(list)) return list;
  return list.map((entry: unknown) => (typeof entry === 'string' ? entryOf(entry) : entry));
}

/** `-` reads standard input, because a container cannot access the operator's files. */
function readSource(file: string): Promise<string> {
  return text(file === '-' ? process.stdin : createReadStream(file));
}

function parseObject(json: string, source: string): EngagementChanges {
  const { data, error } = changesSchema.safeParse(parseJson(json, source));
  if (error !== undefined) throw new Error(`${source}: ${z.prettifyError(error)}`);
  return data;
}

function parseJson(json: string, source: string): unknown {
  try {
    return JSON.parse(json);
  } catch (cause) {
    throw new Error(`${source} is not valid JSON: ${cause instanceof Error ? cause.message : cause}`, { cause });
  }
}
