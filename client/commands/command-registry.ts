import type { ConversationList } from '../conversations/conversation-list.ts';

/** The conversations that the palette lists. */
export type OfferedConversations = { list: ConversationList; open: (id: string) => void };

/** The commands and conversations of one mounted component. */
export type Offer = { commands?: Commands; conversations?: OfferedConversations };

export type CommandRegistry = ReturnType<typeof createCommandRegistry>;

/** The commands that the mounted components offer. If two offer the same one, the later one runs. */
export function createCommandRegistry() {
  const offers = new Set<Offer>();

  const commands = (): Commands => Object.assign({}, ...[...offers].map((offer) => offer.commands));

  return {
    commands,

    conversations: (): OfferedConversations | undefined =>
      [...offers].findLast((offer) => offer.conversations)?.conversations,

    /** Returns a function that withdraws the offer. */
    offer(offer: Offer): () => void {
      offers.add(offer);
      return () => {
        offers.delete(offer);
      };
    },

    /** Does nothing if no component offers the command. */
    run(name: CommandName): void {
      commands()[name]?.();
    },
  };
}

/** All commands, in the order in which the palette lists them. */
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

/** The offered commands. `copyConversation` resolves to false if the browser denied access to the clipboard. */
export type Commands = Partial<
  Record<Exclude<CommandName, 'copyConversation'>, () => void> & { copyConversation: () => Promise<boolean> }
>;
