import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { pages, type routes } from '../../shared/interface.ts';
import { isObject } from '../../shared/is-object.ts';
import { deleteDatabase } from '../device/delete-database.ts';
import { deleteDemoData, deletePersonData, deviceKeys, markConversationsRetained } from '../device/device-storage.ts';
import { createTabChannel } from '../device/tab-channel.ts';
import { SessionRejectedError, sessionQuery } from './session.ts';

export type SignOut = { keepsConversations: boolean };

/** The sign-out that led to this history entry, if any. */
export function signOutInState(state: unknown): SignOut | undefined {
  if (!isObject(state) || typeof state.keepsConversations !== 'boolean') return undefined;
  return { keepsConversations: state.keepsConversations };
}

type SignOutRoute = typeof routes.signOut | typeof routes.signOutEverywhere;

/**
 * Ends the session, or with the other route all sessions of the user, and opens the demo, which confirms it. Unless conversations
 * are kept, deletes everything that this device stores of the user and of the demo. `onDeleted` runs first and clears the page's
 * memory, so that nothing is written again.
 */
export function useSignOut(route: SignOutRoute, userId: string, onDeleted?: () => void) {
  const queryClient = useQueryClient();
  const [, navigate] = useLocation();
  return useMutation({
    mutationFn: async (_: SignOut) => {
      const response = await fetch(route, { method: 'POST' });
      if (response.status === 401) throw new SessionRejectedError('The session has ended.');
      if (!response.ok) throw new Error(`Signing out failed: status ${response.status}.`);
    },
    onSuccess: (_, { keepsConversations }) => {
      if (keepsConversations) {
        markConversationsRetained(userId);
        announceSignOut();
      } else {
        onDeleted?.();
        deletePersonData(userId);
        deleteDemoData();
        announceDeletion(deviceKeys.conversations(userId));
        announceDeletion(deviceKeys.demo);
        deleteDatabase(deviceKeys.conversations(userId));
      }
      // The cache contains the user's questions and their outcomes.
      queryClient.getMutationCache().clear();
      navigate(pages.demo, { state: { keepsConversations } satisfies SignOut });
      queryClient.setQueryData(sessionQuery.queryKey, (session) => session && { ...session, user: null });
    },
  });
}

/** Makes other tabs drop the conversations of the channel `name`. */
function announceDeletion(name: string): void {
  const channel = createTabChannel(name);
  channel.post({ type: 'forgotten' });
  channel.close();
}

/** Makes other tabs refetch the session. */
function announceSignOut(): void {
  const channel = createTabChannel(deviceKeys.signedIn);
  channel.post(null);
  channel.close();
}
