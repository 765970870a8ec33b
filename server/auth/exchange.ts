import type { Request, Response } from 'express';
import passport from 'passport';
import { z } from 'zod';
import type { ProviderName, SignInProblem } from '../../shared/session.ts';
import type { Arrival } from '../database/people.ts';
import { createStrategy, type ExchangeOptions, type ProviderSettings, providers } from './providers.ts';

/** An account as its provider describes it. `provider` and `subject` identify it. */
export type Identity = Pick<Arrival, 'provider' | 'subject' | 'name' | 'email' | 'emailVerified'>;

/** The account that a visitor came back with, or why there is none; `failure` is for the log and holds no secrets. */
export type Outcome = { identity: Identity } | { problem: SignInProblem; failure: object };

/**
 * The exchange with one provider, through a Passport of its own: nothing is registered globally, and Passport does not
 * remember who is signed in. Answers after `timeoutMilliseconds` are ignored.
 */
export function createExchange(name: ProviderName, settings: ProviderSettings, options: ExchangeOptions) {
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

    /** Reads the provider's answer. `expected`: an attempt waits for it. Never rejects, never answers the request. */
    async complete(request: Request, response: Response, expected: boolean): Promise<Outcome> {
      const { error, code } = request.query;
      // The strategy would take an answer without a code for a new beginning.
      if (error !== undefined) return { problem: 'cancelled', failure: describeFailure({ code: error }) };
      if (typeof code !== 'string') return { problem: 'expired', failure: { error: 'MissingCode' } };
      if (!expected) return { problem: 'expired', failure: { error: 'UnknownState' } };
      try {
        const profile = await within(timeoutMilliseconds, fetchProfile(request, response));
        if (profile === false) return { problem: 'expired', failure: { error: 'UnknownState' } };
        const { emulated, isBelieved } = providers[name];
        const knownBy = settings.baseUrl === undefined ? 'subject' : emulated.knownBy;
        return { identity: identify(name, profile, { knownBy, believed: isBelieved({ microsoftTenant }) }) };
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

/** Every prompt and every list has the name: a longer one is cut. */
const maxNameLength = 200;
/** The longest address that mail can be sent to. */
const maxEmailLength = 254;

/** One `@` between a local part and a domain. More than one would let a prefix of the domain pass for the local part. */
const addressForm = /^[^\s\p{Cc}@]+@[^\s\p{Cc}@]+$/u;

const displayed = z.string().trim().min(1).nullish().catch(null);

/** What the strategies' profiles have in common. Only the subject has to be there. */
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
 * Reads the identity from a profile. `knownBy` names the field that stands for the subject, if the profile has it. With
 * `believed` an address counts as verified although the profile does not say so.
 * @throws Error where the profile names no subject
 */
export function identify(
  provider: ProviderName,
  profile: unknown,
  { knownBy, believed }: { knownBy: 'subject' | 'email'; believed: boolean },
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
    emailVerified: email !== null && addressForm.test(email) && (verified || believed),
  };
}

const inForm = (form: RegExp) => z.string().regex(form).optional().catch(undefined);

/** A class of errors. */
const name = inForm(/^[A-Z]\w{0,50}Error$/);
/** An OAuth error or a code of Node's: authorization codes and tokens do not look like either. */
const code = inForm(/^(?:[a-z]{1,20}(?:_[a-z]{1,20}){0,4}|(?:ERR|E[A-Z]{2,16})(?:_[A-Z0-9]{1,20}){0,6})$/);

const failureSchema = z.object({
  name,
  code,
  oauthError: z
    .object({ code, statusCode: z.int().optional().catch(undefined) })
    .optional()
    .catch(undefined),
});

/**
 * The loggable part of a failed exchange: the kind of error, its code and the provider's status.
 * Messages and bodies are left out, because they may quote authorization codes, tokens or secrets. A value that does not look like
 * a kind or a code stays out too: the provider, or any caller of the callback, can choose it.
 */
function describeFailure(cause: unknown) {
  const found = failureSchema.catch({}).parse(cause);
  return { error: found.name, code: found.code ?? found.oauthError?.code, status: found.oauthError?.statusCode };
}
