import type { ProviderName } from '../../shared/session.ts';
import type { Principal } from './principal.ts';

/** Who a provider says somebody is. The pair (provider, subject) is the person; the rest is for display. */
export type Identity = { provider: ProviderName; subject: string; name: string | null; email: string | null };

/** What sign-in needs to know about people, wherever they are stored. */
export type People = {
  /** The person with this identity, created together with an organization of their own at the first sign-in. */
  signIn(identity: Identity): Promise<Principal>;
};
