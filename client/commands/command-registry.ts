import type { ConversationList } from '../conversations/conversations.ts';
import type { CommandName, Commands } from './commands.ts';

/** The conversations that can be gone to. */
export type OfferedConversations = { list: ConversationList; open: (id: string) => void };

/** What a part of the page can do for as long as it is there. */
export type Offer = { commands?: Commands; conversations?: OfferedConversations };

export type CommandRegistry = ReturnType<typeof createCommandRegistry>;

/** What can be done on the page at present, by whatever part of it. Where two parts offer the same, the later one does it. */
export function createCommandRegistry() {
  const offers = new Set<Offer>();

  const commands = (): Commands => Object.assign({}, ...[...offers].map((offer) => offer.commands));

  return {
    commands,

    conversations: (): OfferedConversations | undefined =>
      [...offers].findLast((offer) => offer.conversations)?.conversations,

    /** Offers something until the returned function is called. */
    offer(offer: Offer): () => void {
      offers.add(offer);
      return () => {
        offers.delete(offer);
      };
    },

    /** Does it, if anything on the page can. */
    run: (name: CommandName): void => commands()[name]?.(),
  };
}
