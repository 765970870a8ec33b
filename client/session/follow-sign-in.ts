import type { QueryClient } from '@tanstack/react-query';
import type { TabChannel } from '../device/tab-channel.ts';
import { sessionQuery } from './session.ts';

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
