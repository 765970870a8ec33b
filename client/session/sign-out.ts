import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { pages, routes } from '../../shared/interface.ts';
import { forgetPerson } from '../device-storage.ts';
import { sessionQuery } from './session.ts';

/**
 * Ends the session at the server, then removes what this device keeps of the person with `userId` and goes to the demo.
 * `onSignedOut` drops what the page itself still holds of the person, before it could be kept again.
 */
export function useSignOut(userId: string, onSignedOut?: () => void) {
  const queryClient = useQueryClient();
  const [, navigate] = useLocation();
  return useMutation({
    mutationFn: async () => {
      const response = await fetch(routes.signOut, { method: 'POST' });
      if (!response.ok) throw new Error(`Signing out failed: status ${response.status}.`);
    },
    onSuccess: () => {
      onSignedOut?.();
      forgetPerson(userId);
      // With everything that they asked, and what became of it.
      queryClient.getMutationCache().clear();
      navigate(pages.demo);
      queryClient.setQueryData(sessionQuery.queryKey, (session) => session && { ...session, user: null });
    },
  });
}
