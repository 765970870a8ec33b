import { useEffect, useMemo } from 'react';
import { useLocation } from 'wouter';
import { conversationAddress, conversationPage, pages } from '../../../shared/interface.ts';
import { type ConversationAddress, createAddressSync } from '../../library/address-sync.ts';
import type { ConversationList } from '../../library/library.ts';
import type { OpenConversations } from '../../library/open-conversations.ts';

/**
 * Syncs the URL and the open conversation until the user signs out in another tab or the returned function is called.
 * `onNavigate` is called when Back or Forward opens another conversation.
 */
export function useAddressSync(
  openConversations: OpenConversations,
  list: ConversationList,
  onNavigate: () => void,
): () => void {
  const [location, navigate] = useLocation();
  const sync = useMemo(() => {
    const address: ConversationAddress = {
      read: () => conversationInPath(window.location.pathname),
      push: (id) => navigate(conversationAddress(id)),
      replace: (id) => navigate(conversationAddress(id), { replace: true }),
      leave: () => navigate(pages.chat, { replace: true }),
    };
    const open = (id: string) => {
      onNavigate();
      openConversations.open(id);
    };
    const hasContent = (id: string) => list.getState().entries.some((entry) => entry.id === id);
    return createAddressSync({ ...openConversations, open }, address, hasContent);
  }, [openConversations, list, navigate, onNavigate]);

  useEffect(() => sync.start(), [sync]);
  useEffect(() => list.onSignedOutElsewhere(sync.leave), [list, sync]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: `syncFromAddress` reads the location from the window
  useEffect(() => sync.syncFromAddress(), [sync, location]);

  return sync.leave;
}

/** Returns the id in `path` as `ConversationAddress.read` defines it. */
export function conversationInPath(path: string): string | null | undefined {
  return path === pages.chat ? null : conversationPage.pattern.exec(path)?.groups?.id;
}
