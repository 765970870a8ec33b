import { MutationCache, QueryClient } from '@tanstack/react-query';
import type { TabChannel } from '../device/tab-channel.ts';
import { Refused, sessionQuery } from './session.ts';

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

/**
 * One cookie signs in all tabs. A tab that has read who is signed in tells the others through `channel`. One that shows somebody
 * else reads it anew: what is asked there would be asked in the other person's name.
 */
export function followSignIn(queryClient: QueryClient, channel: TabChannel): void {
  const queries = queryClient.getQueryCache();
  const shownUser = () => queryClient.getQueryData(sessionQuery.queryKey)?.user?.id;

  queries.subscribe((event) => {
    const isRead = event.type === 'updated' && event.action.type === 'success';
    const userId = isRead && event.query === queries.find(sessionQuery) ? shownUser() : undefined;
    if (userId !== undefined) channel.post(userId);
  });
  channel.listen((userId) => {
    const shown = shownUser();
    if (shown !== undefined && shown !== userId) void queryClient.invalidateQueries(sessionQuery);
  });
}
