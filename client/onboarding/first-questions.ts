import type { useTranslations } from 'use-intl/react';
import * as z from 'zod/mini';
import type { MemberOnboarding } from '../../shared/onboarding.ts';
import { deviceKeys, deviceStorage } from '../device/device-storage.ts';
import { firstCharacters } from '../first-characters.ts';
import { parseJson } from '../parse-json.ts';

const maxQuoteCharacters = 160;

const statementsSchema = z.object({
  hypothesis: z.optional(z.string()),
  unknown: z.optional(z.string()),
  focus: z.optional(z.string()),
});

/** What the user stated about the engagement in the onboarding form, as far as questions are suggested about it. */
export type Statements = z.infer<typeof statementsSchema>;

export function statementsOf({ engagement }: Pick<MemberOnboarding, 'engagement'>): Statements {
  const { hypotheses, unknowns, focus } = engagement;
  return { hypothesis: hypotheses[0], unknown: unknowns[0], focus };
}

/** Builds the suggested questions of an empty conversation: at least one, the most specific first. */
export function suggestQuestions(
  t: ReturnType<typeof useTranslations<'firstQuestions'>>,
  organization: string,
  { hypothesis, unknown, focus }: Statements,
): string[] {
  const questions: string[] = [];
  if (hypothesis) questions.push(t('hypothesis', { quoted: shortened(hypothesis) }));
  if (unknown) questions.push(t('unknown', { quoted: shortened(unknown) }));
  if (focus) questions.push(t('focus', { quoted: shortened(focus) }));
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
const storedSchema = z.object({ organizationId: z.string(), statements: statementsSchema });

type Owner = { userId: string; organizationId: string };

/** Stores the statements, not the questions: those are in the language that the page has when it shows them. */
export function storeStatements(
  { userId, organizationId }: Owner,
  statements: Statements,
  storage = deviceStorage('localStorage'),
): void {
  try {
    storage.setItem(deviceKeys.firstQuestions(userId), JSON.stringify({ organizationId, statements }));
  } catch {
    // The storage is full, so the chat suggests only its general questions.
  }
}

/** Undefined if the user did not complete the onboarding form on this device. */
export function loadStatements(
  { userId, organizationId }: Owner,
  storage = deviceStorage('localStorage'),
): Statements | undefined {
  const stored = storedSchema.safeParse(parseJson(storage.getItem(deviceKeys.firstQuestions(userId)))).data;
  return stored?.organizationId === organizationId ? stored.statements : undefined;
}
