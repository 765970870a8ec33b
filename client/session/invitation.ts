import * as z from 'zod/mini';
import { pages } from '../../shared/interface.ts';

const entrySchema = z.object({ invitation: z.string().check(z.minLength(1)) });

/** What a browser's history entry keeps of an invitation. It outlives a reload, and no address shows it. */
export type InvitedEntry = z.infer<typeof entrySchema>;

/**
 * The invitation in the query string of the sign-in page, and the page's address without it; undefined where there is none.
 * An address is seen by whoever looks at the screen, and is synchronized with the history of other devices.
 */
export function takeInvitation(search: string): { entry: InvitedEntry; address: string } | undefined {
  const query = new URLSearchParams(search);
  const invitation = query.get('invitation');
  if (invitation === null) return undefined;
  query.delete('invitation');
  return { entry: { invitation }, address: `${pages.signIn}${query.size > 0 ? `?${query}` : ''}` };
}

/** The invitation that a history entry's `state` keeps, if any. */
export function keptInvitation(state: unknown): string | undefined {
  return entrySchema.safeParse(state).data?.invitation;
}
