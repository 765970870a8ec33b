import type { JoinQuestion } from '../../shared/join.ts';
import type { ProviderName, SignInProblem } from '../../shared/session.ts';
import type { Principal } from '../http/request-context.ts';

/** Who a provider says somebody is: an account there is one person, whatever else is said of it. */
export type Identity = {
  provider: ProviderName;
  subject: string;
  name: string | null;
  email: string | null;
  /** Whether the provider has verified the address. */
  emailVerified: boolean;
};

/** Where a request came from, as the trail keeps it. */
export type Origin = { requestId: string; addressHash: string };

/** A person who comes back from a provider, their invitation, and whether they may sign up without one. */
export type Arrival = Identity & Origin & { invitation: string | null; maySignUp: boolean };

export type Refusal = Extract<SignInProblem, 'uninvited' | 'invitation' | 'suspended'>;

/** What sign-in needs to know about people, wherever they are stored. Each of these leaves its line in the trail. */
export type People = {
  /**
   * The person with this identity, stored at the first sign-in; or why they are not let in, and then nothing is stored of
   * them. `asks`: their invitation leads them to another organization, if they say so.
   */
  signIn(
    arrival: Arrival,
  ): Promise<
    | { person: Principal; action: 'signed-in' | 'signed-up'; asks: boolean }
    | { refusal: Refusal; userId: string | null }
  >;

  /**
   * The organizations that an invitation leads the person from and to; null where it is not valid. A person who has `named`
   * both joins.
   */
  join(
    asked: { userId: string; invitation: string; named?: { from: string; to: string } | undefined },
    origin: Origin,
  ): Promise<JoinQuestion | 'joined' | null>;

  /** Ends the person's session with this id, or all that they have where there is none. */
  signOut(userId: string, sessionId: string | null, origin: Origin): Promise<void>;
};
