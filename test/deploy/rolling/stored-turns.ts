import type { TestDatabase } from '../../support/test-database.ts';

/** How often each text is stored, questions and replies. */
export async function storedTexts({ rows }: TestDatabase): Promise<Map<string, number>> {
  const found = await rows('select role, content, count(*)::int as times from chat_messages group by role, content');
  return new Map(found.map(({ role, content, times }) => [`${role} ${content}`, Number(times)]));
}
