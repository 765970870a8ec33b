/** What can be done by its name, in the order in which it is listed. Each can be run while something offers it. */
export const commandNames = [
  'stop',
  'newConversation',
  'search',
  'goToMessage',
  'tryAgain',
  'regenerate',
  'editLast',
  'copyConversation',
  'downloadConversation',
  'exportConversation',
  'print',
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

/** What each command does that can be run now. */
export type Commands = Partial<Record<CommandName, () => void>>;

/** Those that have a key of their own. */
export const commandKeys: Partial<Record<CommandName, 'escape'>> = { stop: 'escape' };
