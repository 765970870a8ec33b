import { createContext, type ReactNode, useContext, useEffect, useState } from 'react';
import {
  type CommandRegistry,
  type Commands,
  createCommandRegistry,
  type OfferedConversations,
} from './command-registry.ts';

const Registry = createContext<CommandRegistry | undefined>(undefined);

/** Lets the parts of its content offer what they can do, and run what others can. */
export function InCommands({ children }: { children: ReactNode }) {
  const [registry] = useState(createCommandRegistry);
  return <Registry value={registry}>{children}</Registry>;
}

export function useCommandRegistry(): CommandRegistry {
  const registry = useContext(Registry);
  if (registry === undefined) throw new Error('There are no commands around this.');
  return registry;
}

/** Offers `commands` for as long as the component is shown. */
export function useOfferedCommands(commands: Commands): void {
  const registry = useCommandRegistry();
  // What they do changes with every drawing, and nobody looks before one of them is run.
  useEffect(() => registry.offer({ commands }));
}

/** Offers the person's conversations for as long as the component is shown. */
export function useOfferedConversations({ list, open }: OfferedConversations): void {
  const registry = useCommandRegistry();
  useEffect(() => registry.offer({ conversations: { list, open } }), [registry, list, open]);
}
