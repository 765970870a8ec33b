import type { Library } from '../library/library.ts';

export type RegisteredConversations = { library: Library; open: (id: string) => void };

type Registration = { commands?: Commands; conversations?: RegisteredConversations };

export type CommandRegistry = ReturnType<typeof createCommandRegistry>;

/** Holds the commands that the mounted components register. If two register the same one, the later one runs. */
export function createCommandRegistry() {
  const registrations = new Set<Registration>();

  const commands = (): Commands =>
    Object.assign({}, ...[...registrations].map((registration) => registration.commands));

  return {
    commands,

    conversations: (): RegisteredConversations | undefined =>
      [...registrations].findLast((registration) => registration.conversations)?.conversations,

    register(registration: Registration): () => void {
      registrations.add(registration);
      return () => {
        registrations.delete(registration);
      };
    },

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
  'goToMessage',
  'continueReply',
  'tryAgain',
  'editLast',
  'renameConversation',
  'pinConversation',
  'unpinConversation',
  'copyConversation',
  'downloadConversation',
  'print',
  'deleteConversation',
  'list',
  'palette',
  'settings',
  'shortcuts',
  'signOut',
  'signOutEverywhere',
] as const;

export type CommandName = (typeof commandNames)[number];

/** Only `copyConversation` has a result: false if the browser denied access to the clipboard. */
export type Commands = Partial<
  Record<Exclude<CommandName, 'copyConversation'>, () => void> & { copyConversation: () => Promise<boolean> }
>;
