import { queryOptions, useQuery } from '@tanstack/react-query';
import { routes } from '../../shared/interface.ts';
import { type Session, sessionSchema } from '../../shared/session.ts';

export type User = NonNullable<Session['user']>;

/** Who is signed in, if anyone, and how one can sign in. Asked again whenever the person comes back to the tab. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async ({ signal }): Promise<Session> => {
    const response = await fetch(routes.session, { signal });
    if (!response.ok) throw new Error(`The session could not be read: status ${response.status}.`);
    return sessionSchema.parse(await response.json());
  },
});

export function useSession() {
  return useQuery(sessionQuery);
}
