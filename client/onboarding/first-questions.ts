import type { useTranslations } from 'use-intl/react';
import * as z from 'zod/mini';
import type { MemberOnboarding } from '../../shared/onboarding.ts';
import { deviceKeys, deviceStorage } from '../device/device-storage.ts';
import { firstCharacters } from '../first-characters.ts';
import { parseJson } from '../parse-json.ts';
import { writeItem } from '../write-item.ts';

const maxQuoteCharacters = 160;

const statementsSchema = z.object({
  hypothesis: z.optional(z.string()),
  unknown: z.optional(z.string()),
  focus: z.optional(z.string()),
});

/** The statements of the onboarding form that the suggested questions quote. */
type Statements = z.infer<typeof statementsSchema>;

export function statementsOf({ engagement }: Pick<MemberOnboarding, 'engagement'>): Statements {
  const { hypotheses, unknowns, focus } = engagement;
  return { hypothesis: hypotheses[0], unknown: unknowns[0], focus };
}

/** Returns at least one question, the most specific first. Quotes no statement that seems to be in another language than the page. */
export function suggestQuestions(
  t: ReturnType<typeof useTranslations<'firstQuestions'>>,
  locale: string,
  organization: string,
  statements: Statements,
): string[] {
  const questions = (['hypothesis', 'unknown', 'focus'] as const).flatMap((kind) => {
    const statement = statements[kind];
    return statement && isInLanguageOf(locale, statement) ? [t(kind, { quoted: shorten(statement) })] : [];
  });
  return questions.length > 0 ? questions : [t('general', { organization: organization.trim() })];
}

const frequentWords: Partial<Record<string, RegExp>> = {
  de: /^(?:auf|bei|das|dass|den|der|des|die|durch|ein|eine|für|im|ist|mit|nicht|sich|sind|und|unsere?|vom?n?|was|wie|wir|zu|zur)$/,
  en: /^(?:and|are|by|for|from|how|is|most|not|of|on|our|that|the|their|they|this|to|we|what|which|why|with)$/,
  es: /^(?:al|con|cu[aá]nto|de|del|el|en|es|la|las|los|no|nuestr[oa]s?|para|por|que|qué|se|son|una?|y)$/,
  fr: /^(?:au|aux|avec|ce|dans|de|des|du|en|est|et|la|le|les|nos|notre|nous|par|pas|pour|que|qui|sont|sur|une?)$/,
};

const scripts: Partial<Record<string, RegExp>> = {
  ar: /\p{Script=Arabic}/u,
  ja: /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/u,
};

/** Returns false if `text` seems to be in a language other than that of `locale`. Without evidence, it returns true. */
function isInLanguageOf(locale: string, text: string): boolean {
  const [language = ''] = locale.split('-', 1);
  if (!(scripts[language] ?? /\p{Script=Latin}/u).test(text)) return false;
  const words = text.toLowerCase().match(/\p{L}+/gu) ?? [];
  const countOf = (tag: string) => words.filter((word) => frequentWords[tag]?.test(word)).length;
  const own = countOf(language);
  return language in scripts || Object.keys(frequentWords).every((tag) => countOf(tag) <= own);
}

/** Returns the text on one line, without its final punctuation, and cut after a word if it is long. */
function shorten(text: string): string {
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

/** Stores the statements instead of the questions, because the page can have another language when it shows the questions. */
export function storeStatements(
  { userId, organizationId }: Owner,
  statements: Statements,
  storage = deviceStorage('localStorage'),
): void {
  // If the storage is full, the chat suggests only its general questions.
  writeItem(storage, deviceKeys.firstQuestions(userId), JSON.stringify({ organizationId, statements }));
}

/** Returns undefined unless valid statements of the user in this organization are stored on this device. */
export function loadStatements(
  { userId, organizationId }: Owner,
  storage = deviceStorage('localStorage'),
): Statements | undefined {
  const stored = storedSchema.safeParse(parseJson(storage.getItem(deviceKeys.firstQuestions(userId)))).data;
  return stored?.organizationId === organizationId ? stored.statements : undefined;
}
