import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import * as z from 'zod/mini';
import { pages, routes } from '../../shared/interface.ts';
import { type JoinQuestion, type JoinRequest, joinQuestionSchema } from '../../shared/join.ts';
import { SessionRejectedError, sessionQuery } from './session.ts';

const invitationStateSchema = z.object({ invitation: z.string().check(z.minLength(1)) });

/** The invitation as stored in `history.state`, where it survives a reload. */
type InvitationState = z.infer<typeof invitationStateSchema>;

/**
 * Returns the invitation in the sign-in page's query string, and the page's URL without it; undefined if there is none. The
 * invitation must not stay in the URL, which is visible on screen and synced with the history of other devices.
 */
export function readInvitation(search: string): { historyState: InvitationState; url: string } | undefined {
  const query = new URLSearchParams(search);
  const invitation = query.get('invitation');
  if (invitation === null) return undefined;
  query.delete('invitation');
  return { historyState: { invitation }, url: `${pages.signIn}${query.size > 0 ? `?${query}` : ''}` };
}

export function invitationInState(state: unknown): string | undefined {
  return invitationStateSchema.safeParse(state).data?.invitation;
}

function postJoinRequest(request: JoinRequest, signal?: AbortSignal): Promise<Response> {
  return fetch(routes.join, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(request),
    ...(signal && { signal }),
  });
}

/** Returns a query for two organizations: the user's and the invitation's. Its data is null if the invitation is not valid. */
export const joinQuestionQuery = (userId: string, invitation: string) =>
  queryOptions({
    queryKey: ['join', userId, invitation],
    queryFn: async ({ client, signal }): Promise<JoinQuestion | null> => {
      const response = await postJoinRequest({ invitation }, signal);
      if (response.status === 404) return null;
      if (response.status === 401) void client.invalidateQueries(sessionQuery);
      if (!response.ok) throw new Error(`The invitation could not be read: status ${response.status}.`);
      return joinQuestionSchema.parse(await response.json());
    },
  });

/**
 * Moves the user from one organization to the other; `changed` if either is no longer the one that was shown. Always refetches the
 * session and the invitation, which decide what the page shows next.
 */
export function useJoin(userId: string, invitation: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async (organizations: { from: string; to: string }): Promise<'joined' | 'changed'> => {
      const response = await postJoinRequest({ invitation, ...organizations });
      if (response.status === 401) throw new SessionRejectedError('The session has ended.');
      if (response.status === 409) return 'changed';
      if (!response.ok) throw new Error(`Joining failed: status ${response.status}.`);
      return 'joined';
    },
    onSettled: async () => {
      // The order matters: the refetched invitation makes the page navigate, and the session decides where to.
      await queryClient.invalidateQueries(sessionQuery);
      await queryClient.invalidateQueries(joinQuestionQuery(userId, invitation));
    },
  });
}
