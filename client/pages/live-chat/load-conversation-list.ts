import type { ConversationList } from '../../library/library.ts';

/** Loads the list of the user's conversations on this device, for pages that need it only at a sign-out. */
export async function loadConversationList(userId: string): Promise<ConversationList> {
  const { openConversationList } = await import('./live-conversations.ts');
  return openConversationList(userId);
}
