import type { useTranslations } from 'use-intl/react';
import type { JoiningForm } from '../../shared/onboarding.ts';

const longestQuoteCharacters = 160;

/**
 * Questions in the words of `say` to begin the live chat with, the best one first, made of what was entered at onboarding into `organization`;
 * never none.
 */
export function suggestQuestions(
  say: ReturnType<typeof useTranslations<'firstQuestions'>>,
  organization: string,
  { engagement }: JoiningForm,
): string[] {
  const [hypothesis] = engagement?.hypotheses ?? [];
  const [unknown] = engagement?.unknowns ?? [];
  const questions: string[] = [];
  if (hypothesis) questions.push(say('hypothesis', { quoted: shortened(hypothesis) }));
  if (unknown) questions.push(say('unknown', { quoted: shortened(unknown) }));
  if (engagement?.focus) questions.push(say('focus', { quoted: shortened(engagement.focus) }));
  if (questions.length > 0) return questions;
  return [say('general', { organization: organization.trim() })];
}

/** The text without its full stop, and cut after a word where it is long. */
function shortened(text: string): string {
  const line = text
    .trim()
    .replace(/\s+/g, ' ')
    .replace(/[.?!。？！؟]+$/, '');
  if (line.length <= longestQuoteCharacters) return line;
  return `${line.slice(0, longestQuoteCharacters).replace(/\s+\S*$/, '')}…`;
}
