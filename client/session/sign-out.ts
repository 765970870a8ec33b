import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { pages, type routes } from '../../shared/interface.ts';
import { isObject } from '../../shared/is-object.ts';
import { deleteDatabase } from '../device/delete-database.ts';
import { deleteDemoData, deletePersonData, deviceKeys, markConversationsKept } from '../device/device-storage.ts';
import { createTabChannel } from '../device/tab-channel.ts';
import { Refused, sessionQuery } from './session.ts';

/** What a sign-out does with the conversations on this device. */
export type SignOut = { keepsConversations: boolean };

/** What the sign-out did that has led to the entry of the browser's history with this state, if one has. */
export function signOutIn(state: unknown): SignOut | undefined {
  if (!isObject(state) || typeof state.keepsConversations !== 'boolean') return undefined;
  return { keepsConversations: state.keepsConversations };
}

type SignOutRoute = typeof routes.signOut | typeof routes.signOutEverywhere;

/**
 * Ends the session at the server, or by the other route all sessions of the user, and goes to the demo, which confirms it. Unless
 * the conversations are kept, everything is removed that this device stores of the user with `userId` and of demo chat, and
 * `onDeleted` drops what the page itself still holds of the user, before it could be stored again.
 */
export function useSignOut(route: SignOutRoute, userId: string, onDeleted?: () => void) {
  const queryClient = useQueryClient();
  const [, navigate] = useLocation();
  return useMutation({
    mutationFn: async (_: SignOut) => {
      const response = await fetch(route, { method: 'POST' });
      if (response.status === 401) throw new Refused('The session has ended.');
      if (!response.ok) throw new Error(`Signing out failed: status ${response.status}.`);
    },
    onSuccess: (_, { keepsConversations }) => {
      if (keepsConversations) {
        markConversationsKept(userId);
        announceSignOut();
      } else {
        onDeleted?.();
        deletePersonData(userId);
        deleteDemoData();
        tellForgotten(deviceKeys.conversations(userId));
        tellForgotten(deviceKeys.demo);
        deleteDatabase(deviceKeys.conversations(userId));
      }
      // With everything that they asked, and what became of it.
      queryClient.getMutationCache().clear();
      navigate(pages.demo, { state: { keepsConversations } satisfies SignOut });
      queryClient.setQueryData(sessionQuery.queryKey, (session) => session && { ...session, user: null });
    },
  });
}

/** Tells the other tabs to drop the conversations that they have open under the name `name`. */
function tellForgotten(name: string): void {
  const channel = createTabChannel(name);
  channel.post({ type: 'forgotten' });
  channel.close();
}

/** Lets the other tabs read the session again. */
function announceSignOut(): void {
  const channel = createTabChannel(deviceKeys.signedIn);
  channel.post(null);
  channel.close();
}
