import { useEffect, useMemo } from 'react';
import { useLocation } from 'wouter';
import { conversationAddress, conversationPage, pages } from '../../shared/interface.ts';
import { type ConversationAddress, createAddressSync } from '../conversations/address-sync.ts';
import type { ConversationList } from '../conversations/conversation-list.ts';
import type { OpenConversations } from '../conversations/open-conversations.ts';

/**
 * Keeps the browser's address and the open conversation the same, until the person signs out: here, which the
 * returned function says, or in another tab. `onLed` is told when the address leads to another conversation, by Back or
 * Forward.
 */
export function useAddressSync(
  openConversations: OpenConversations,
  list: ConversationList,
  onLed: () => void,
): () => void {
  const [location, navigate] = useLocation();
  const sync = useMemo(() => {
    const address: ConversationAddress = {
      read: () => namedBy(window.location.pathname),
      push: (id) => navigate(conversationAddress(id)),
      replace: (id) => navigate(conversationAddress(id), { replace: true }),
      leave: () => navigate(pages.chat, { replace: true }),
    };
    const open = (id: string) => {
      onLed();
      openConversations.open(id);
    };
    const isKept = (id: string) => list.getState().entries.some((entry) => entry.id === id);
    return createAddressSync({ ...openConversations, open }, address, isKept);
  }, [openConversations, list, navigate, onLed]);

  useEffect(() => sync.start(), [sync]);
  useEffect(() => list.onSignedOutElsewhere(sync.leave), [list, sync]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: there is something to look at once the address has changed
  useEffect(() => sync.syncFromAddress(), [sync, location]);

  return sync.leave;
}

/** As `ConversationAddress` has it. */
export function namedBy(path: string): string | null | undefined {
  return path === pages.chat ? null : conversationPage.addresses.exec(path)?.groups?.id;
}
