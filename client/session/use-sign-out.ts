import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { pages, type routes } from '../../shared/interface.ts';
import { deleteDemoData, deleteUserData, deviceKeys, markConversationsRetained } from '../device/device-storage.ts';
import { createTabChannel } from '../device/tab-channel.ts';
import { deleteLastSession } from './last-session.ts';
import { SessionRejectedError, sessionQuery } from './session.ts';
import { deleteLastProvider } from './sign-in.ts';
import type { SignOut } from './sign-out.ts';

type SignOutRoute = typeof routes.signOut | typeof routes.signOutEverywhere;

/**
 * Ends the session, or all sessions of the user, and opens the demo, which confirms it. Unless conversations are kept, deletes all
 * data of the user and the demo on this device, except the demo's cooldown. `onDeleted` runs first and clears the page's memory, so
 * that nothing is written again.
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
    onSuccess: (_, { conversations }) => {
      if (conversations === 'kept') {
        markConversationsRetained(userId);
      } else {
        onDeleted?.();
        deleteUserData(userId);
        deleteLastProvider();
        deleteDemoData();
        // Other tabs drop these conversations.
        for (const name of [deviceKeys.conversations(userId), deviceKeys.demo]) announce(name, { type: 'forgotten' });
        deleteDatabase(deviceKeys.conversations(userId));
      }
      // The mutation cache contains the user's questions and their outcomes.
      queryClient.getMutationCache().clear();
      // Other tabs refetch the session.
      announce(deviceKeys.signedIn, null);
      deleteLastSession();
      navigate(pages.demo, { state: { conversations } satisfies SignOut });
      // A response to an earlier request would bring the user back.
      void queryClient.cancelQueries(sessionQuery);
      queryClient.setQueryData(sessionQuery.queryKey, (session) => session && { ...session, user: null });
    },
  });
}

/** Sends `message` to other tabs. */
function announce(channelName: string, message: unknown): void {
  const channel = createTabChannel(channelName);
  channel.post(message);
  channel.close();
}

/** Deletes the database `name` as soon as every tab has closed it. Has no effect if the browser denies IndexedDB. */
function deleteDatabase(name: string): void {
  try {
    indexedDB.deleteDatabase(name);
  } catch {
    // Without IndexedDB there is nothing to delete.
  }
}
