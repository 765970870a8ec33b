import type { JoiningForm } from '../../shared/onboarding.ts';

const longestQuoteCharacters = 160;

/**
 * Questions to begin the live chat with, the best one first, made of what was entered at onboarding into `organization`;
 * never none.
 */
export function suggestQuestions(organization: string, { engagement }: JoiningForm): string[] {
  const [hypothesis] = engagement?.hypotheses ?? [];
  const [unknown] = engagement?.unknowns ?? [];
  const questions: string[] = [];
  if (hypothesis) questions.push(`How do we test this first: ${quote(hypothesis)}?`);
  if (unknown) questions.push(`How could we find this out within a week: ${quote(unknown)}?`);
  if (engagement?.focus) questions.push(`What would be a good first step towards this: ${quote(engagement.focus)}?`);
  if (questions.length > 0) return questions;
  return [`Which hypotheses would you start with at ${organization.trim()}, and how would we test them?`];
}

/** The text in quotation marks, without its full stop, and cut after a word where it is long. */
function quote(text: string): string {
  const line = text
    .trim()
    .replace(/\s+/g, ' ')
    .replace(/[.?!]+$/, '');
  if (line.length <= longestQuoteCharacters) return `“${line}”`;
  return `“${line.slice(0, longestQuoteCharacters).replace(/\s+\S*$/, '')}…”`;
}
