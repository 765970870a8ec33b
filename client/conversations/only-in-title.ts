import type { Turn } from '../chat/turn.ts';
import { titleOf } from '../device/conversation-records.ts';
import { findAllFolded } from './fold-text.ts';
import type { Passage } from './search-conversations.ts';

/** Returns whether the passage is part of the title, which is the start of the first question, and the words occur nowhere else. */
export function isOnlyInTitle({ turnId, match }: Pick<Passage, 'turnId' | 'match'>, turns: readonly Turn[]): boolean {
  const [first, ...later] = turns;
  if (first === undefined || first.id !== turnId) return false;
  const count = (text: string) => findAllFolded(text, match).length;
  const inTitle = count(titleOf(first.question));
  if (inTitle === 0 || count(first.question) > inTitle) return false;
  return ![first.reply, ...later.flatMap(({ question, reply }) => [question, reply])].some((text) => count(text) > 0);
}
