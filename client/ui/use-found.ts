import { useEffect, useState } from 'react';
import type { ConversationEntry } from '../chat/conversation-entry.ts';
import type { ConversationList } from '../chat/conversations.ts';

/** The conversations that have `words`, as soon as they are found; undefined until then, and where the words are blank. */
export function useFound(list: ConversationList, words: string): readonly ConversationEntry[] | undefined {
  const [found, setFound] = useState<readonly ConversationEntry[]>();
  const sought = words.trim();

  useEffect(() => {
    if (sought === '') return setFound(undefined);
    const controller = new AbortController();
    list.search(sought, controller.signal).then(
      (results) => setFound(results.map(({ entry }) => entry)),
      () => {},
    );
    return () => controller.abort();
  }, [list, sought]);

  return sought === '' ? undefined : found;
}
