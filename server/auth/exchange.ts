import type { Request, Response } from 'express';
import passport from 'passport';
import { z } from 'zod';
import { type ProviderName, type SignInProblem, selectAccount } from '../../shared/session.ts';
import { isVisible } from '../../shared/visible-text.ts';
import type { SignInDetails } from '../database/serving/users.ts';
import { createStrategy, type ExchangeOptions, type ProviderSettings, providers } from './providers.ts';
import type { StateStore } from './sign-in-attempts.ts';

export type Identity = Pick<SignInDetails, 'provider' | 'subject' | 'name' | 'email' | 'emailVerified'>;

/** `failure` is logged and contains no secrets. */
type ExchangeResult = { identity: Identity } | { problem: SignInProblem; failure: object };

/** Creates the OAuth exchange with one provider, without Passport sessions. Responses after `timeoutMilliseconds` are ignored. */
export function createExchange(name: ProviderName, settings: ProviderSettings, options: ExchangeOptions) {
  const { timeoutMilliseconds, microsoftTenant } = options;
  const { knownBy = 'subject' } = settings;
  const authenticator = new passport.Passport();
  const strategyWith = (stateStore: StateStore) => createStrategy(name, settings, options, stateStore);

  /** Resolves to the user's profile at the provider, or to false if the state does not match the attempt. */
  function fetchProfile(request: Request, response: Response, stateStore: StateStore): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const done = (error: unknown, profile: unknown) => (error ? reject(error) : resolve(profile));
      authenticator.authenticate(strategyWith(stateStore), { session: false }, done)(request, response, reject);
    });
  }

  return {
    /**
     * Redirects to the provider. With `prompt=select_account` in the URL, the provider asks for the account to use even if only
     * one is signed in there. Calls `refuse` if the URL has the parameters of a provider's callback.
     */
    begin(request: Request, response: Response, stateStore: StateStore, refuse: () => void): void {
      const prompt = request.query.prompt === selectAccount ? { prompt: selectAccount } : {};
      const begin = authenticator.authenticate(strategyWith(stateStore), { session: false, ...prompt }, refuse);
      begin(request, response, refuse);
    },

    /** Never rejects and never sends a response. `stateStore` is undefined if the callback belongs to no attempt of this browser. */
    async complete(request: Request, response: Response, stateStore: StateStore | undefined): Promise<ExchangeResult> {
      const { error, code } = request.query;
      if (error !== undefined) return { problem: 'cancelled', failure: describeFailure({ code: error }) };
      // Without a code, the strategy would start a new sign-in.
      if (typeof code !== 'string') return { problem: 'expired', failure: { error: 'MissingCode' } };
      if (stateStore === undefined) return { problem: 'expired', failure: { error: 'UnknownState' } };
      try {
        const profile = await withTimeout(timeoutMilliseconds, fetchProfile(request, response, stateStore));
        if (profile === false) return { problem: 'expired', failure: { error: 'UnknownState' } };
        const trustsEmail = providers[name].trustsEmail({ microsoftTenant });
        return { identity: identify(name, profile, { knownBy, trustsEmail }) };
      } catch (cause) {
        return { problem: 'unavailable', failure: describeFailure(cause) };
      }
    },
  };
}

function withTimeout<T>(milliseconds: number, promise: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => late.reject(new DOMException('The provider did not respond in time.', 'TimeoutError')),
    milliseconds,
  );
  return Promise.race([promise, late.promise]).finally(() => clearTimeout(timer));
}

/** Longer names are truncated to this length, because prompts and lists contain the name. */
const maxNameLength = 200;
/** The maximum length of an address in SMTP. */
const maxEmailLength = 254;

/** Allows only one `@`, because with two it is ambiguous where the domain starts. */
const addressForm = /^[^\s\p{Cc}@]+@[^\s\p{Cc}@]+$/u;

const displayed = z.string().trim().refine(isVisible).nullish().catch(null);

const profileSchema = z.object({
  id: z.string().min(1).max(255),
  displayName: displayed,
  username: displayed,
  emails: z
    .array(z.object({ value: displayed, verified: z.literal(true).optional().catch(undefined) }))
    .nullish()
    .catch(null),
});

/**
 * Reads the identity from a profile. `knownBy` names the field to use as the subject, if the profile has it. With
 * `trustsEmail` an address counts as verified even if the profile does not say so.
 * @throws Error if the profile has no subject
 */
export function identify(
  provider: ProviderName,
  profile: unknown,
  { knownBy, trustsEmail }: { knownBy: 'subject' | 'email'; trustsEmail: boolean },
): Identity {
  const { id, displayName, username, emails } = profileSchema.parse(profile);
  const { value = null, verified = false } = emails?.[0] ?? {};
  const email = value !== null && value.length <= maxEmailLength ? value : null;
  const subject = knownBy === 'email' && email !== null ? email : id;
  const name = displayName ?? username ?? null;
  return {
    provider,
    subject,
    name: name && Array.from(name).slice(0, maxNameLength).join(''),
    email,
    emailVerified: email !== null && addressForm.test(email) && (verified || trustsEmail),
  };
}

const matching = (form: RegExp) => z.string().regex(form).optional().catch(undefined);

const name = matching(/^[A-Z]\w{0,50}Error$/);
/** An OAuth error code or a Node.js error code. Authorization codes and tokens match neither form. */
const code = matching(/^(?:[a-z]{1,20}(?:_[a-z]{1,20}){0,4}|(?:ERR|E[A-Z]{2,16})(?:_[A-Z0-9]{1,20}){0,6})$/);

const failureSchema = z.object({
  name,
  code,
  oauthError: z
    .object({ code, statusCode: z.int().optional().catch(undefined) })
    .optional()
    .catch(undefined),
});

/**
 * Returns the loggable part of a failed exchange: the error's class, its code and the provider's status. Messages and
 * bodies are omitted, because they can quote authorization codes, tokens or secrets. Other values are omitted too,
 * because the provider, or any caller of the callback, can choose them.
 */
function describeFailure(cause: unknown) {
  const found = failureSchema.catch({}).parse(cause);
  return { error: found.name, code: found.code ?? found.oauthError?.code, status: found.oauthError?.statusCode };
}
