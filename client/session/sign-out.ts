import { useMutation, useQueryClient } from '@tanstack/react-query';
import { routes } from '../../shared/interface.ts';
import { forgetPerson } from '../device-storage.ts';
import { sessionQuery } from './session.ts';

/** Ends the session at the server, then removes what this device keeps of the person with `userId`. */
export function useSignOut(userId: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async () => {
      const response = await fetch(routes.signOut, { method: 'POST' });
      if (!response.ok) throw new Error(`Signing out failed: status ${response.status}.`);
    },
    onSuccess: () => {
      forgetPerson(userId);
      queryClient.setQueryData(sessionQuery.queryKey, (session) => session && { ...session, user: null });
    },
  });
}
