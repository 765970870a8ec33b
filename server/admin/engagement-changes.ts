import { readFile } from 'node:fs/promises';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { type EngagementState, engagementStateSchema } from '../engagement/engagement-state.ts';
import type { OptionValues } from './command.ts';

const changesSchema = z.record(z.string(), z.unknown(), 'The state must be a JSON object.');

/** The parts of an engagement state that are to change, not checked yet. */
export type EngagementChanges = z.infer<typeof changesSchema>;

/**
 * Gathers the parts that the options name; what an option says wins over what the file says.
 * @throws Error with a sentence where the file cannot be read, or is no JSON object, or an option is no JSON
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
 * The whole state after the changes. Without a state they change an empty one of week 1.
 * A plain text in a list stands for `{ statement }` or `{ question }`, and an empty focus for none.
 * @throws Error that lists every complaint by its path
 */
export function applyChanges(present: EngagementState | null, changes: EngagementChanges): EngagementState {
  const { focus, ...others }: EngagementChanges = { ...(present ?? { week: 1 }), ...changes };
  const { data, error } = engagementStateSchema.strict().safeParse({
    ...others,
    ...(focus !== '' && focus !== null && { focus }),
    hypotheses: spelledOut(others.hypotheses, 'statement'),
    unknowns: spelledOut(others.unknowns, 'question'),
  });
  if (error === undefined) return data;
  const complaints = error.issues.map(
    ({ path, message }) => `  - ${path.length > 0 ? `${path.join('.')}: ` : ''}${message}`,
  );
  throw new Error(['The engagement state is not valid, and nothing was changed:', ...complaints].join('\n'));
}

function spelledOut(list: unknown, key: string): unknown {
  if (!Array.isArray(list)) return list;
  return list.map((entry: unknown) => (typeof entry === 'string' ? { [key]: entry } : entry));
}

/** `-` is the standard input, for a container that does not see the operator's files. */
function readSource(file: string): Promise<string> {
  return file === '-' ? text(process.stdin) : readFile(file, 'utf8');
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
