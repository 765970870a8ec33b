import { queryOptions, useMutationState, useQuery } from '@tanstack/react-query';
import { routes } from '../../shared/interface.ts';
import { type Session, sessionSchema } from '../../shared/session.ts';

/** After so long without an answer there is none: nobody should watch a page load for ever. */
const maxWaitMilliseconds = 10_000;

/** How long a reply that broke off waits for its reason. */
const maxEndedWaitMilliseconds = 3_000;

/**
 * Who is signed in, if anyone, and how one can sign in. Asked again whenever the person comes back to the tab or to the
 * network, and every few seconds while it cannot be found out.
 */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async ({ signal }): Promise<Session> => {
    const timeout = AbortSignal.timeout(maxWaitMilliseconds);
    const response = await fetch(routes.session, { signal: AbortSignal.any([signal, timeout]) });
    if (!response.ok) throw new Error(`The session could not be read: status ${response.status}.`);
    return sessionSchema.parse(await response.json());
  },
  refetchOnReconnect: true,
  refetchInterval: ({ state }) => (state.status === 'error' ? maxWaitMilliseconds : false),
});

/** Whether the session has ended. The page keeps the user that it knows. */
export async function isSignedOut(): Promise<boolean> {
  const response = await fetch(routes.session, { signal: AbortSignal.timeout(maxEndedWaitMilliseconds) });
  return response.ok && sessionSchema.parse(await response.json()).user === null;
}

export function useSession() {
  return useQuery(sessionQuery);
}

/** Whether the session is unknown because nobody answered, and not because the answer was no good. */
export function isUnreachable(error: Error | null): boolean {
  return error instanceof TypeError || error?.name === 'TimeoutError';
}

/** The service refuses requests with this session: the page is wrong about who is signed in. */
export class Refused extends Error {
  override name = 'Refused';
}

/** Whether anything that the person did on this page was refused in the last minutes. */
export function useWasRefused(): boolean {
  const errors = useMutationState({ filters: { status: 'error' }, select: ({ state }) => state.error });
  return errors.some((error) => error instanceof Refused);
}
