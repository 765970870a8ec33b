import { z } from 'zod';
import type { Rule } from './evidence.ts';

const fatal = 60;
const lineSchema = z.object({ level: z.number(), msg: z.string().optional(), code: z.string().optional() });

/** Nothing goes wrong that nobody foresaw. */
export const nothingUncaught: Rule = ({ settled }) => [
  ...settled.uncaught,
  ...settled.lines
    .filter(isUncaught)
    .map((line) => `A log line tells of an error that nobody caught: ${line.slice(0, 1_000)}`),
];

function isUncaught(line: string): boolean {
  const { level, msg = '', code } = lineSchema.parse(JSON.parse(line));
  return level >= fatal || msg.includes('nobody caught') || code === 'INTERNAL';
}

/** The process serves others as before, and nothing of the other organization has changed. */
export const othersUnharmed: Rule = ({ settled, ailment }) => [
  ...(ailment === undefined ? [] : [ailment]),
  ...(settled.otherUnchanged ? [] : ['Rows of the other organization have changed.']),
];
