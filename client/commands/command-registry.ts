import type { ConversationList } from '../conversations/conversation-list.ts';

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
    run(name: CommandName): void {
      commands()[name]?.();
    },
  };
}

/** What can be done by its name, in the order in which it is listed. Each can be run while something offers it. */
export const commandNames = [
  'stop',
  'newConversation',
  'undo',
  'search',
  'find',
  'goToMessage',
  'tryAgain',
  'regenerate',
  'editLast',
  'renameConversation',
  'pinConversation',
  'unpinConversation',
  'copyConversation',
  'downloadConversation',
  'exportConversation',
  'print',
  'deleteConversation',
  'list',
  'palette',
  'settings',
  'shortcuts',
  'themeSystem',
  'themeLight',
  'themeDark',
  'signOut',
  'signOutEverywhere',
] as const;

export type CommandName = (typeof commandNames)[number];

/** What each command does that can be run now. Copying answers whether it worked. */
export type Commands = Partial<
  Record<Exclude<CommandName, 'copyConversation'>, () => void> & { copyConversation: () => Promise<boolean> }
>;
