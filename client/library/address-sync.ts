export type ConversationAddress = {
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

    start(): () => void {
      syncFromAddress();
      return openConversations.subscribe(syncToAddress);
    },

    /** Removes the conversation from the URL and stops syncing, after the user has signed out. */
    leave(): void {
      hasEnded = true;
      if (address.read() !== undefined) address.leave();
    },
  };
}
