import { createContext, type ReactNode, useContext, useEffect, useState } from 'react';
import {
  type CommandRegistry,
  type Commands,
  createCommandRegistry,
  type RegisteredConversations,
} from './command-registry.ts';

const RegistryContext = createContext<CommandRegistry | undefined>(undefined);

export function CommandsProvider({ children }: { children: ReactNode }) {
  const [registry] = useState(createCommandRegistry);
  return <RegistryContext value={registry}>{children}</RegistryContext>;
}

export function useCommandRegistry(): CommandRegistry {
  const registry = useContext(RegistryContext);
  if (registry === undefined) throw new Error('useCommandRegistry must be used within CommandsProvider');
  return registry;
}

export function useRegisterCommands(commands: Commands): void {
  const registry = useCommandRegistry();
  // No dependency array, because each render creates new functions. Replacing a registration notifies no listener.
  useEffect(() => registry.register({ commands }));
}

export function useRegisterConversations({ library, open }: RegisteredConversations): void {
  const registry = useCommandRegistry();
  useEffect(() => registry.register({ conversations: { library, open } }), [registry, library, open]);
}
