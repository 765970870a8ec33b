import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { pages, type routes } from '../../shared/interface.ts';
import { deleteConversationDatabase } from '../device/conversation-database.ts';
import { deviceKeys, forgetPerson } from '../device/device-storage.ts';
import { createTabChannel } from '../device/tab-channel.ts';
import { Refused, sessionQuery } from './session.ts';

type SignOutRoute = typeof routes.signOut | typeof routes.signOutEverywhere;

/**
 * Ends the session at the server, or by the other route all sessions of the person; then removes what this device keeps of
 * the person with `userId` and goes to the demo. `onSignedOut` drops what the page itself still holds of the person, before
 * it could be kept again.
 */
export function useSignOut(route: SignOutRoute, userId: string, onSignedOut?: () => void) {
  const queryClient = useQueryClient();
  const [, navigate] = useLocation();
  return useMutation({
    mutationFn: async () => {
      const response = await fetch(route, { method: 'POST' });
      if (response.status === 401) throw new Refused('The session has ended.');
      if (!response.ok) throw new Error(`Signing out failed: status ${response.status}.`);
    },
    onSuccess: () => {
      onSignedOut?.();
      forgetPerson(userId);
      forgetConversations(userId);
      // With everything that they asked, and what became of it.
      queryClient.getMutationCache().clear();
      navigate(pages.demo);
      queryClient.setQueryData(sessionQuery.queryKey, (session) => session && { ...session, user: null });
    },
  });
}

/** Removes the database of a person's conversations, and tells the other tabs so: they let go of it. */
function forgetConversations(userId: string): void {
  const name = deviceKeys.conversations(userId);
  const channel = createTabChannel(name);
  channel.post({ type: 'forgotten' });
  channel.close();
  deleteConversationDatabase(name).catch(() => {
    // The browser denies databases: there is none.
  });
}
