/**
 * What a text is recognized by wherever it turns up: in the provider's request, in an answer, in a row. None of them
 * occurs in any other text of a soak.
 */
export const questionMark = (turn: number) => `[question ${turn}]`;
export const replyMark = (turn: number, attempt: number) => `[reply ${turn}.${attempt}]`;
export const organizationMark = (number: number) => `[organization ${number}]`;
export const personMark = (number: number) => `[person ${number}]`;

/** The number of the turn whose question `text` is. */
export function turnAsked(text: string): number {
  const turn = /^\[question (\d+)\]/.exec(text)?.[1];
  if (turn === undefined) throw new Error('This is no question of the soak.');
  return Number(turn);
}

/** Which reply `text` begins with, or undefined where it begins with none. */
export function replyBegun(text: string): { turn: number; attempt: number } | undefined {
  const [, turn, attempt] = /^\[reply (\d+)\.(\d+)\]/.exec(text) ?? [];
  return turn === undefined ? undefined : { turn: Number(turn), attempt: Number(attempt) };
}

/** Every turn that is named in `text`, by a question or by a reply. */
export function turnsNamed(text: string): number[] {
  return unique(Array.from(text.matchAll(/\[(?:question|reply) (\d+)/g), ([, turn]) => Number(turn)));
}

/** Every organization and person that is named in `text`. */
export function scopeMarks(text: string): string[] {
  return unique(Array.from(text.matchAll(/\[(?:organization|person) \d+\]/g), ([mark]) => mark));
}

/** Whether a line of a log repeats what somebody said. */
export function holdsContent(line: string): boolean {
  return /\[(?:question|reply) \d/.test(line);
}

function unique<T>(values: T[]): T[] {
  return [...new Set(values)];
}
