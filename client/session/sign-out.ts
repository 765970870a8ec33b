import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { pages, type routes } from '../../shared/interface.ts';
import { isObject } from '../../shared/is-object.ts';
import { deleteDatabase } from '../device/delete-database.ts';
import { deviceKeys, forgetDemo, forgetPerson } from '../device/device-storage.ts';
import { createTabChannel } from '../device/tab-channel.ts';
import { Refused, sessionQuery } from './session.ts';

/** Marks an entry of the browser's history that a sign-out has led to. */
const signedOutState = { isSignedOut: true };

/** Whether a sign-out has led to the entry of the browser's history with this state. */
export function isAfterSignOut(state: unknown): boolean {
  return isObject(state) && state.isSignedOut === true;
}

type SignOutRoute = typeof routes.signOut | typeof routes.signOutEverywhere;

/**
 * Ends the session at the server, or by the other route all sessions of the user; then removes what this device keeps of the user
 * with `userId` and of demo chat, and goes to the demo, which confirms it. `onSignedOut` drops what the page itself still holds of
 * the user, before it could be kept again.
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
      forgetDemo();
      tellForgotten(deviceKeys.conversations(userId));
      tellForgotten(deviceKeys.demo);
      deleteDatabase(deviceKeys.conversations(userId));
      // With everything that they asked, and what became of it.
      queryClient.getMutationCache().clear();
      navigate(pages.demo, { state: signedOutState });
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
