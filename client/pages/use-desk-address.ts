import { useEffect, useMemo } from 'react';
import { useLocation } from 'wouter';
import { conversationAddress, conversationPage, pages } from '../../shared/interface.ts';
import type { ConversationList } from '../conversations/conversations.ts';
import type { Desk } from '../conversations/desk.ts';
import { type ConversationAddress, createDeskAddress } from '../conversations/desk-address.ts';

/**
 * Keeps the browser's address and the open conversation of the desk the same, until the person signs out: here, which the
 * returned function says, or in another tab. `onLed` is told when the address leads to another conversation, by Back or
 * Forward.
 */
export function useDeskAddress(desk: Desk, list: ConversationList, onLed: () => void): () => void {
  const [location, navigate] = useLocation();
  const deskAddress = useMemo(() => {
    const address: ConversationAddress = {
      read: () => namedBy(window.location.pathname),
      push: (id) => navigate(conversationAddress(id)),
      replace: (id) => navigate(conversationAddress(id), { replace: true }),
      leave: () => navigate(pages.chat, { replace: true }),
    };
    const open = (id: string) => {
      onLed();
      desk.open(id);
    };
    const isKept = (id: string) => list.getState().entries.some((entry) => entry.id === id);
    return createDeskAddress({ ...desk, open }, address, isKept);
  }, [desk, list, navigate, onLed]);

  useEffect(() => deskAddress.start(), [deskAddress]);
  useEffect(() => list.onForgotten(deskAddress.leave), [list, deskAddress]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: there is something to look at once the address has changed
  useEffect(() => deskAddress.look(), [deskAddress, location]);

  return deskAddress.leave;
}

/** As `ConversationAddress` has it. */
export function namedBy(path: string): string | null | undefined {
  return path === pages.chat ? null : conversationPage.addresses.exec(path)?.groups?.id;
}
