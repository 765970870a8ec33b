import * as z from 'zod/mini';
import { pages } from '../../shared/interface.ts';

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
