import type { useTranslations } from 'use-intl/react';
import * as z from 'zod/mini';
import type { MemberOnboarding } from '../../shared/onboarding.ts';
import { deviceKeys, deviceStorage } from '../device/device-storage.ts';
import { firstCharacters } from '../first-characters.ts';
import { parseJson } from '../parse-json.ts';

const maxQuoteCharacters = 160;

/** Builds the suggested questions of an empty conversation from the onboarding form: at least one, the most specific first. */
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

/** Returns the text on one line, without its final punctuation, and cut after a word if it is long. */
function shortened(text: string): string {
  const line = text
    .trim()
    .replace(/\s+/g, ' ')
    .replace(/[.?!。？！؟]+$/, '');
  const start = firstCharacters(line, maxQuoteCharacters);
  return start === line ? line : `${start.replace(/\s+\S*$/, '')}…`;
}

/** The organization is stored too, so that a user who joins another one does not see the previous one's hypotheses. */
const storedSchema = z.object({ organizationId: z.string(), questions: z.array(z.string()) });

type Owner = { userId: string; organizationId: string };

/** Stores the questions for every empty conversation of this user on this device. */
export function storeFirstQuestions(
  { userId, organizationId }: Owner,
  questions: readonly string[],
  storage = deviceStorage('localStorage'),
): void {
  try {
    storage.setItem(deviceKeys.firstQuestions(userId), JSON.stringify({ organizationId, questions }));
  } catch {
    // The storage is full, so the chat suggests only its general questions.
  }
}

/** Empty if the user did not complete the onboarding form on this device. */
export function loadFirstQuestions(
  { userId, organizationId }: Owner,
  storage = deviceStorage('localStorage'),
): readonly string[] {
  const stored = storedSchema.safeParse(parseJson(storage.getItem(deviceKeys.firstQuestions(userId)))).data;
  return stored?.organizationId === organizationId ? stored.questions : [];
}
