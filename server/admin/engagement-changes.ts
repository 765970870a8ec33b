import { createReadStream } from 'node:fs';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { type EngagementState, engagementStateSchema, expandString } from '../engagement/engagement-state.ts';
import type { OptionValues } from './command.ts';

const changesSchema = z.record(z.string(), z.unknown(), 'The state must be a JSON object.');

/** Unvalidated parts of an engagement state. */
type EngagementChanges = z.infer<typeof changesSchema>;

/**
 * Reads the parts from the file and the options. Options take precedence.
 * @throws Error with a message for the operator if the file is not readable or has no JSON object, or if an option is not valid
 * JSON
 */
export async function readChanges({ file, week, focus, ...lists }: OptionValues): Promise<EngagementChanges> {
  const changes = file === undefined ? {} : parseObject(await readSource(file), file);
  if (week !== undefined) changes.week = Number(week);
  if (focus !== undefined) changes.focus = focus;
  for (const part of ['hypotheses', 'unknowns', 'findings'] as const) {
    const json = lists[part];
    if (json !== undefined) changes[part] = parseJson(json, `--${part}`);
  }
  return changes;
}

/**
 * Returns the changed state. Starts from an empty state of week 1 if `current` is null. A string in
 * `hypotheses` or `unknowns` is short for `{ statement }` or `{ question }`, and an empty focus removes it.
 * @throws Error that lists all validation errors with their paths
 */
export function applyChanges(current: EngagementState | null, changes: EngagementChanges): EngagementState {
  const { focus, ...others }: EngagementChanges = { ...(current ?? { week: 1 }), ...changes };
  const { data, error } = engagementStateSchema.strict().safeParse({
    ...others,
    ...(focus !== '' && focus !== null && { focus }),
    hypotheses: expandStrings(others.hypotheses, 'statement'),
    unknowns: expandStrings(others.unknowns, 'question'),
  });
  if (error === undefined) return data;
  const problems = error.issues.map(
    ({ path, message }) => `  - ${path.length > 0 ? `${path.join('.')}: ` : ''}${message}`,
  );
  throw new Error(['The engagement state is not valid. Nothing was changed:', ...problems].join('\n'));
}

function expandStrings(list: unknown, key: string): unknown {
  if (!Array.isArray(list)) return list;
  return list.map((entry: unknown) => expandString(entry, key));
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
