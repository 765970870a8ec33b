import { queryOptions, useQuery } from '@tanstack/react-query';
import { routes } from '../../shared/interface.ts';
import { type Session, sessionSchema } from '../../shared/session.ts';

/** The timeout of the session request, and the time until it is repeated after an error. */
const sessionTimeoutMilliseconds = 10_000;

/** A page that mounts this soon after the response does not request the session again. */
const staleMilliseconds = 5_000;

/** The shorter timeout of the check after an incomplete reply, whose turn ends only once the check is done. */
const sessionCheckTimeoutMilliseconds = 3_000;

export type PageSession = Session & {
  /** Whether the session of this page's user has ended other than by a sign-out on this page. */
  hasEnded?: boolean;
};

/**
 * The session and the available sign-in providers. Refetched when the network returns, every 10 seconds after an error, and, if the
 * response is older than a few seconds or outdated, when a page mounts or the tab gets the focus.
 */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  // Ignores the query's own signal: it would abort the request when the page replaces the header, and the page would send another.
  queryFn: async ({ client, queryKey }): Promise<PageSession> => {
    const session = await readSession(sessionTimeoutMilliseconds);
    const before = client.getQueryData<PageSession>(queryKey);
    const hadUser = before?.hasEnded || before?.user;
    return hadUser && session.user === null ? { ...session, hasEnded: true } : session;
  },
  staleTime: staleMilliseconds,
  refetchOnReconnect: 'always',
  refetchInterval: ({ state }) => (state.status === 'error' ? sessionTimeoutMilliseconds : false),
});

/** Returns whether the session has ended. Leaves the cached session unchanged. Rejects if the session cannot be read. */
export async function isSignedOut(): Promise<boolean> {
  return (await readSession(sessionCheckTimeoutMilliseconds)).user === null;
}

/** Rejects with a `TypeError` after `milliseconds`, as `fetch` does without a network. */
async function readSession(milliseconds: number): Promise<Session> {
  const timeout = new AbortController();
  // WebKit collects a signal of `AbortSignal.timeout` that only `fetch` refers to, and the request then never times out.
  setTimeout(() => timeout.abort(new TypeError()), milliseconds);
  const response = await fetch(routes.session, { signal: timeout.signal });
  if (!response.ok) throw new Error(`The session request was answered with status ${response.status}.`);
  return sessionSchema.parse(await response.json());
}

export function useSession() {
  return useQuery(sessionQuery);
}

/** Returns whether the service did not respond at all, as opposed to an invalid response. */
export function isUnreachable(error: Error | null): boolean {
  return error instanceof TypeError;
}

/** The service rejected the session of a request: the cached session is outdated. */
export class SessionRejectedError extends Error {
  override name = 'SessionRejectedError';
}
