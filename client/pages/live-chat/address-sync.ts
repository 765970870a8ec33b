import { useEffect, useMemo } from 'react';
import { useLocation } from 'wouter';
import { conversationPage, conversationPath, pages } from '../../../shared/interface.ts';
import type { Library } from '../../library/library.ts';
import type { OpenConversations } from '../../library/open-conversations.ts';

/**
 * Syncs the URL and the open conversation until the user signs out in another tab or the returned function is called.
 * `onNavigate` is called when the URL opens another conversation, for example after Back.
 */
export function useAddressSync(
  openConversations: OpenConversations,
  library: Library,
  onNavigate: () => void,
): () => void {
  const [location, navigate] = useLocation();
  const sync = useMemo(() => {
    const address: ConversationAddress = {
      read: () => conversationInPath(window.location.pathname),
      push: (id) => navigate(conversationPath(id)),
      replace: (id) => navigate(conversationPath(id), { replace: true }),
      leave: () => navigate(pages.chat, { replace: true }),
    };
    const open = (id: string) => {
      onNavigate();
      openConversations.open(id);
    };
    const hasContent = (id: string) => library.getState().entries.some((entry) => entry.id === id);
    return createAddressSync({ ...openConversations, open }, address, hasContent);
  }, [openConversations, library, navigate, onNavigate]);

  useEffect(() => sync.start(), [sync]);
  useEffect(() => library.onSignedOutElsewhere(sync.leave), [library, sync]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: `syncFromAddress` reads the location from the window
  useEffect(() => sync.syncFromAddress(), [sync, location]);

  return sync.leave;
}

/** Returns the id in `path` as `ConversationAddress.read` defines it. */
export function conversationInPath(path: string): string | null | undefined {
  return path === pages.chat ? null : conversationPage.pattern.exec(path)?.groups?.id;
}

type ConversationAddress = {
  /** The id in the URL; null in live chat without a conversation; undefined on any other page. */
  read(): string | null | undefined;
  /** Adds a history entry, so that Back leads to the previous conversation. */
  push(id: string): void;
  replace(id: string): void;
  /** Replaces the URL with that of live chat without a conversation. */
  leave(): void;
};

type AddressedConversations = {
  getState(): { id: string };
  subscribe(listener: () => void): () => void;
  open(id: string): void;
};

/** Keeps the URL and the open conversation in step. Empty and deleted conversations (not `hasContent`) leave no history entry. */
export function createAddressSync(
  openConversations: AddressedConversations,
  address: ConversationAddress,
  hasContent: (id: string) => boolean,
) {
  let hasEnded = false;

  /** Opens the conversation in the URL. Call it whenever the URL has changed. */
  function syncFromAddress(): void {
    const addressedId = hasEnded ? undefined : address.read();
    const { id } = openConversations.getState();
    if (addressedId === null) address.replace(id);
    else if (addressedId !== undefined && addressedId !== id) openConversations.open(addressedId);
  }

  function syncToAddress(): void {
    const addressedId = hasEnded ? undefined : address.read();
    const { id } = openConversations.getState();
    if (addressedId === undefined || addressedId === id) return;
    if (addressedId !== null && hasContent(addressedId)) address.push(id);
    else address.replace(id);
  }

  return {
    syncFromAddress,

    start: () => openConversations.subscribe(syncToAddress),

    /** Removes the conversation from the URL and stops syncing, after the user has signed out. */
    leave(): void {
      hasEnded = true;
      if (address.read() !== undefined) address.leave();
    },
  };
}
