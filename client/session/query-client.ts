import { MutationCache, QueryClient } from '@tanstack/react-query';
import { Refused } from './refused.ts';
import { sessionQuery } from './session.ts';

/** What all pages share of TanStack Query: who is signed in, and everything that the person has asked the service to do. */
export function createQueryClient(): QueryClient {
  const queryClient = new QueryClient({
    mutationCache: new MutationCache({
      // Whatever was refused, a turn or the onboarding form: the session is read anew and the page goes where that leads.
      onError(error) {
        if (error instanceof Refused) queryClient.invalidateQueries(sessionQuery);
      },
    }),
    // Requests are made whatever the browser believes about the network: a failure that can be seen beats a silent wait.
    defaultOptions: {
      queries: { networkMode: 'always', retry: 1 },
      mutations: { networkMode: 'always' },
    },
  });
  return queryClient;
}
