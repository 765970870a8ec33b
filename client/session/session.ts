import { queryOptions, useQuery } from '@tanstack/react-query';
import { routes } from '../../shared/interface.ts';
import { type Session, sessionSchema } from '../../shared/session.ts';

export type User = NonNullable<Session['user']>;

/** After so long without an answer there is none: nobody should watch a page load for ever. */
const longestWaitMilliseconds = 10_000;

/**
 * Who is signed in, if anyone, and how one can sign in. Asked again whenever the person comes back to the tab or to the
 * network, and every few seconds while it cannot be found out.
 */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async ({ signal }): Promise<Session> => {
    const timeout = AbortSignal.timeout(longestWaitMilliseconds);
    const response = await fetch(routes.session, { signal: AbortSignal.any([signal, timeout]) });
    if (!response.ok) throw new Error(`The session could not be read: status ${response.status}.`);
    return sessionSchema.parse(await response.json());
  },
  refetchOnReconnect: true,
  refetchInterval: ({ state }) => (state.status === 'error' ? longestWaitMilliseconds : false),
});

export function useSession() {
  return useQuery(sessionQuery);
}

/** Whether the session is unknown because nobody answered, and not because the answer was no good. */
export function isUnreachable(error: Error | null): boolean {
  return error instanceof TypeError || error?.name === 'TimeoutError';
}
