import { MutationCache, QueryClient } from '@tanstack/react-query';
import type { TabChannel } from '../device/tab-channel.ts';
import { SessionRejectedError, sessionQuery } from './session.ts';

export function createQueryClient(): QueryClient {
  const queryClient = new QueryClient({
    mutationCache: new MutationCache({
      // A rejected session means that the cached one is outdated.
      onError(error) {
        if (error instanceof SessionRejectedError) queryClient.invalidateQueries(sessionQuery);
      },
    }),
    // Ignores `navigator.onLine`: a visible failure is better than a silent wait.
    defaultOptions: {
      queries: { networkMode: 'always', retry: 1 },
      mutations: { networkMode: 'always' },
    },
  });
  return queryClient;
}

/**
 * All tabs share one session cookie. A tab that reads the session announces its user; a tab that shows another user refetches the
 * session, because it would send questions in the new user's name.
 */
export function syncSignIn(queryClient: QueryClient, channel: TabChannel): void {
  const queries = queryClient.getQueryCache();
  const readUserId = () => queryClient.getQueryData(sessionQuery.queryKey)?.user?.id;

  queries.subscribe((event) => {
    const isRead = event.type === 'updated' && event.action.type === 'success';
    const userId = isRead && event.query === queries.find(sessionQuery) ? readUserId() : undefined;
    if (userId !== undefined) channel.post(userId);
  });
  channel.listen((userId) => {
    const currentUserId = readUserId();
    if (userId === null && queryClient.getQueryData(sessionQuery.queryKey) === undefined) void restartFirstRequest();
    if (currentUserId !== undefined && currentUserId !== userId) void queryClient.invalidateQueries(sessionQuery);
  });

  /** The response to a request from before a sign-out would show the user again. An invalidation does not repeat a first request. */
  async function restartFirstRequest(): Promise<void> {
    await queryClient.cancelQueries(sessionQuery);
    await queryClient.refetchQueries(sessionQuery);
  }
}
