/** Where a page says which conversation it shows: the address of a browser's tab, with its history. */
export type ConversationAddress = {
  /** The id that is named; null where the chat is named and no conversation in it; undefined on any other page. */
  read(): string | null | undefined;
  /** Names another conversation; the one before can be come back to. */
  push(id: string): void;
  /** Replaces the name by that of another conversation. */
  replace(id: string): void;
  /** Replaces the name by that of the chat itself. */
  leave(): void;
};

type AddressedConversations = {
  getState(): { id: string };
  subscribe(listener: () => void): () => void;
  open(id: string): void;
};

/**
 * Keeps the address and the open conversation of a tab the same, whichever of them changes. `isKept` says whether there is
 * something to come back to in a conversation: one that is empty or deleted leaves no trace in the history.
 */
export function createAddressSync(
  openConversations: AddressedConversations,
  address: ConversationAddress,
  isKept: (id: string) => boolean,
) {
  let isOver = false;

  /** Shows what the address names. To be called at the start and whenever the address has changed. */
  function look(): void {
    const named = isOver ? undefined : address.read();
    const { id } = openConversations.getState();
    if (named === null) address.replace(id);
    else if (named !== undefined && named !== id) openConversations.open(named);
  }

  /** Names the conversation that is shown. */
  function follow(): void {
    const named = isOver ? undefined : address.read();
    const { id } = openConversations.getState();
    if (named === undefined || named === id) return;
    if (named !== null && isKept(named)) address.push(id);
    else address.replace(id);
  }

  return {
    look,

    /** Begins with what the address names, and follows the open conversation until the returned function is called. */
    start(): () => void {
      look();
      return openConversations.subscribe(follow);
    },

    /** Names no conversation any more: the person has signed out, and none of theirs is left to come back to. */
    leave(): void {
      isOver = true;
      if (address.read() !== undefined) address.leave();
    },
  };
}
