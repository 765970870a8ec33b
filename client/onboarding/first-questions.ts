import type { useTranslations } from 'use-intl/react';
import * as z from 'zod/mini';
import type { MemberOnboarding } from '../../shared/onboarding.ts';
import { deviceKeys, deviceStorage } from '../device/device-storage.ts';
import { parseJson } from '../parse-json.ts';

const maxQuoteCharacters = 160;

/**
 * Questions in the words of `t` to begin the live chat with, the best one first, made of what was entered at onboarding into `organization`;
 * never none.
 */
export function suggestQuestions(
  t: ReturnType<typeof useTranslations<'firstQuestions'>>,
  organization: string,
  { engagement }: Pick<MemberOnboarding, 'engagement'>,
): string[] {
  const [hypothesis] = engagement.hypotheses;
  const [unknown] = engagement.unknowns;
  const questions: string[] = [];
  if (hypothesis) questions.push(t('hypothesis', { quoted: shortened(hypothesis) }));
  if (unknown) questions.push(t('unknown', { quoted: shortened(unknown) }));
  if (engagement.focus) questions.push(t('focus', { quoted: shortened(engagement.focus) }));
  if (questions.length > 0) return questions;
  return [t('general', { organization: organization.trim() })];
}

/** The text without its full stop, and cut after a word where it is long. */
function shortened(text: string): string {
  const line = text
    .trim()
    .replace(/\s+/g, ' ')
    .replace(/[.?!。？！؟]+$/, '');
  if (line.length <= maxQuoteCharacters) return line;
  return `${line.slice(0, maxQuoteCharacters).replace(/\s+\S*$/, '')}…`;
}

const questionsSchema = z.array(z.string());

/** Keeps what to suggest in this person's live chat, for as long as the tab is open. */
export function keepFirstQuestions(userId: string, questions: readonly string[]): void {
  try {
    deviceStorage('sessionStorage').setItem(deviceKeys.firstQuestions(userId), JSON.stringify(questions));
  } catch {
    // The storage is full: the chat makes its general suggestions.
  }
}

/** The questions that this person's onboarding in this tab suggests, the best one first; none where there was none. */
export function firstQuestions(userId: string): string[] {
  const kept = deviceStorage('sessionStorage').getItem(deviceKeys.firstQuestions(userId));
  return questionsSchema.safeParse(parseJson(kept)).data ?? [];
}
