import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { routes } from '../../shared/interface.ts';
import { type JoinQuestion, type JoinRequest, joinQuestionSchema } from '../../shared/join.ts';
import { Refused, sessionQuery } from './session.ts';

function post(request: JoinRequest, signal?: AbortSignal): Promise<Response> {
  return fetch(routes.join, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(request),
    ...(signal && { signal }),
  });
}

/** Which organization the person with `userId` is in, and which one the invitation leads to; null where it is not valid. */
export const joinQuestionQuery = (userId: string, invitation: string) =>
  queryOptions({
    queryKey: ['join', userId, invitation],
    queryFn: async ({ client, signal }): Promise<JoinQuestion | null> => {
      const response = await post({ invitation }, signal);
      if (response.status === 404) return null;
      if (response.status === 401) void client.invalidateQueries(sessionQuery);
      if (!response.ok) throw new Error(`The invitation could not be read: status ${response.status}.`);
      return joinQuestionSchema.parse(await response.json());
    },
  });

/**
 * Joins by the invitation from one organization to the other, or is `changed` where they are not what they were. Whatever
 * came of it, session and question are read anew: the page goes where they lead.
 */
export function useJoin(userId: string, invitation: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async (named: { from: string; to: string }): Promise<'joined' | 'changed'> => {
      const response = await post({ invitation, ...named });
      if (response.status === 401) throw new Refused('The session has ended.');
      if (response.status === 409) return 'changed';
      if (!response.ok) throw new Error(`Joining failed: status ${response.status}.`);
      return 'joined';
    },
    onSettled: async () => {
      // In this order: the question sends the person on, and the session says where to.
      await queryClient.invalidateQueries(sessionQuery);
      await queryClient.invalidateQueries(joinQuestionQuery(userId, invitation));
    },
  });
}
