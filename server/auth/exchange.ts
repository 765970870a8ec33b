import type { Request, Response } from 'express';
import passport from 'passport';
import type { ProviderName, SignInProblem } from '../../shared/session.ts';
import { describeFailure } from './failure.ts';
import { identify } from './identity.ts';
import type { Identity } from './people.ts';
import { createStrategy, type ProviderSettings } from './providers.ts';
import type { StateStore } from './sign-in-attempts.ts';

/** Who came back from the provider, or why that cannot be said; `failure` is for the log and holds no secrets. */
export type Outcome = { identity: Identity } | { problem: SignInProblem; failure: object };

/**
 * The exchange with one provider, through a Passport of its own: nothing is registered globally, and Passport does not
 * remember who is signed in. The provider must answer within `timeoutMilliseconds` in all; later answers are ignored.
 */
export function createExchange(
  name: ProviderName,
  settings: ProviderSettings,
  options: {
    publicUrl: string;
    timeoutMilliseconds: number;
    stateStore: StateStore;
    microsoftTenant?: string | undefined;
  },
) {
  const { timeoutMilliseconds, microsoftTenant } = options;
  const authenticator = new passport.Passport();
  authenticator.use(name, createStrategy(name, settings, options));

  /** The provider's profile of the visitor, or false where the state is not the one of their attempt. */
  function fetchProfile(request: Request, response: Response): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const settle = (error: unknown, profile: unknown) => (error ? reject(error) : resolve(profile));
      authenticator.authenticate(name, { session: false }, settle)(request, response, reject);
    });
  }

  return {
    /** Sends the visitor to the provider, or calls `refuse` where the address reads like a provider's answer. */
    begin(request: Request, response: Response, refuse: () => void): void {
      authenticator.authenticate(name, { session: false }, refuse)(request, response, refuse);
    },

    /** Finds out who comes back. `expected`: an attempt waits for this answer. Never rejects, never answers the request. */
    async complete(request: Request, response: Response, expected: boolean): Promise<Outcome> {
      const { error, code } = request.query;
      // The strategy would take an answer without a code for a new beginning.
      if (error !== undefined) return { problem: 'cancelled', failure: describeFailure({ code: error }) };
      if (typeof code !== 'string') return { problem: 'expired', failure: { error: 'MissingCode' } };
      if (!expected) return { problem: 'expired', failure: { error: 'UnknownState' } };
      try {
        const profile = await within(timeoutMilliseconds, fetchProfile(request, response));
        if (profile === false) return { problem: 'expired', failure: { error: 'UnknownState' } };
        // Microsoft says of no address that it is verified; what the one directory says of its own people is believed.
        const believed = name === 'microsoft' && microsoftTenant !== undefined;
        return { identity: identify(name, profile, { emulated: settings.baseUrl !== undefined, believed }) };
      } catch (cause) {
        return { problem: 'unavailable', failure: describeFailure(cause) };
      }
    },
  };
}

function within<T>(milliseconds: number, promise: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => late.reject(new DOMException('The provider took too long.', 'TimeoutError')),
    milliseconds,
  );
  return Promise.race([promise, late.promise]).finally(() => clearTimeout(timer));
}
