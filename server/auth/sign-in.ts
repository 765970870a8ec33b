import { randomBytes } from 'node:crypto';
import { parseCookie } from 'cookie';
import { sign, unsign } from 'cookie-signature';
import type { Request, Response } from 'express';
import passport from 'passport';
import { z } from 'zod';
import { type ProviderName, providerNames, type SignInProblem, selectAccountPrompt } from '../../shared/session.ts';
import { isVisible } from '../../shared/visible-text.ts';
import type { SignInDetails } from '../database/serving/users.ts';
import {
  createStrategy,
  type ExchangeOptions,
  type ProviderSettings,
  providers,
  type StateStore,
} from './providers.ts';
import type { SessionCookie } from './sessions.ts';

/**
 * A user needs minutes. The rest tolerates clock errors: if the server's or the browser's clock is an hour wrong, or
 * is corrected during an attempt, a shorter attempt would expire at once.
 */
const attemptMilliseconds = 2 * 60 * 60 * 1000;

/** The maximum number of used attempts that are remembered. The provider's code is single-use as well. */
const maxUsedStates = 10_000;

/** Each tab can have an attempt of its own. */
const maxAttemptsPerProvider = 5;

/** The browser sends the cookies of all attempts in one header line, and common proxies refuse a line of more than 8 KiB. */
const maxCookieBytes = 6_000;

const attemptSchema = z.object({
  provider: z.enum(providerNames),
  state: z.string(),
  verifier: z.string(),
  returnTo: z.string(),
  invitation: z.string().nullable(),
  /** In milliseconds since 1970. */
  endsAt: z.number(),
});

type SignInAttempt = z.infer<typeof attemptSchema>;

type Start = Pick<SignInAttempt, 'provider' | 'returnTo' | 'invitation'>;

/**
 * Manages sign-in attempts, each in a signed cookie of its own until the provider's callback: until then, an attempt stores
 * nothing in the database and does not affect a session. Within the limits, it does not affect an attempt in another tab
 * either. The first of `secrets` signs, and all of them verify.
 */
export function createSignInAttempts({
  secrets,
  cookie: { name: cookieName, attributes },
}: {
  secrets: readonly [string, ...string[]];
  cookie: SessionCookie;
}) {
  /** The used states, each with the time until which it must be rejected. */
  const used = new Map<string, number>();
  const [secret] = secrets;
  const namePrefix = `${cookieName}-sign-in-`;
  const nameOf = ({ provider, state }: Pick<SignInAttempt, 'provider' | 'state'>) =>
    `${namePrefix}${provider}-${state}`;

  function read(name: string, cookie: string | undefined): SignInAttempt | undefined {
    if (cookie === undefined) return undefined;
    const texts = secrets.map((each) => unsign(cookie, each)).filter((text) => text !== false);
    const attempt = texts.map(decode).find((each) => each !== undefined && nameOf(each) === name);
    return attempt !== undefined && attempt.endsAt > Date.now() && !used.has(attempt.state) ? attempt : undefined;
  }

  /** Clears the cookies of invalid attempts, and of the oldest ones that exceed the limits together with the new one. */
  function clearOldest({ headers }: Request, response: Response, added: { name: string; value: string } & Start): void {
    const attempts = Object.entries(parseCookie(headers.cookie ?? ''))
      .filter(([name]) => name.startsWith(namePrefix))
      .map(([name, value = '']) => ({ name, value, attempt: read(name, value) }))
      // Browsers send older cookies first, which decides between attempts of the same millisecond.
      .reverse()
      .sort((one, other) => (other.attempt?.endsAt ?? 0) - (one.attempt?.endsAt ?? 0));
    let sameProvider = 1;
    let bytes = added.name.length + added.value.length;
    for (const { name, value, attempt } of attempts) {
      bytes += name.length + value.length;
      if (attempt?.provider === added.provider) sameProvider += 1;
      const isKept = attempt !== undefined && sameProvider <= maxAttemptsPerProvider && bytes <= maxCookieBytes;
      if (!isKept) response.clearCookie(name, attributes);
    }
  }

  function remember({ state, endsAt }: SignInAttempt): void {
    for (const [known, until] of used) {
      if (until > Date.now() && used.size < maxUsedStates) break;
      used.delete(known);
    }
    used.set(state, endsAt);
  }

  return {
    /**
     * Returns the state store of a new attempt, whose cookie is set on `response`. The strategy calls `store` when it redirects to
     * the provider.
     */
    begin(response: Response, start: Start): StateStore {
      return {
        store(request, verifier, _state, _meta, done) {
          const state = randomBytes(12).toString('hex');
          const endsAt = Date.now() + attemptMilliseconds;
          const attempt: SignInAttempt = { ...start, state, verifier, endsAt };
          const name = nameOf(attempt);
          const value = sign(Buffer.from(JSON.stringify(attempt)).toString('base64url'), secret);
          clearOldest(request, response, { ...start, name, value });
          response.cookie(name, value, { ...attributes, expires: new Date(endsAt) });
          done(null, state);
        },
        verify: (_request, _state, done) => done(null, false),
      };
    },

    /**
     * Returns the attempt that this callback belongs to, if any, and marks it as used regardless of the outcome. The strategy calls
     * `verify` of its state store, which passes on the PKCE verifier, or false if the state does not match.
     */
    take({ headers, query }: Request, response: Response, provider: ProviderName) {
      if (typeof query.state !== 'string') return undefined;
      const name = nameOf({ provider, state: query.state });
      const attempt = read(name, parseCookie(headers.cookie ?? '')[name]);
      if (attempt === undefined) return undefined;
      response.clearCookie(name, attributes);
      remember(attempt);
      const { returnTo, invitation, state: expectedState, verifier } = attempt;
      const stateStore: StateStore = {
        store: (_request, _verifier, _state, _meta, done) => done(new Error('A callback does not start a sign-in.')),
        verify: (_request, state, done) => done(null, state === expectedState && verifier),
      };
      return { returnTo, invitation, stateStore };
    },
  };
}

function decode(text: string): SignInAttempt | undefined {
  try {
    return attemptSchema.parse(JSON.parse(Buffer.from(text, 'base64url').toString()));
  } catch {
    return undefined;
  }
}

/** `failure` is logged and contains no secrets. */
type ExchangeResult = { identity: Identity } | { problem: SignInProblem; failure: object };

/** Creates the OAuth exchange with one provider, without Passport sessions. Responses after `timeoutMilliseconds` are ignored. */
export function createExchange(name: ProviderName, settings: ProviderSettings, options: ExchangeOptions) {
  const { timeoutMilliseconds, microsoftTenant } = options;
  const { idField = 'subject' } = settings;
  const authenticator = new passport.Passport();
  const strategyWith = (stateStore: StateStore) => createStrategy(name, settings, options, stateStore);

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
      const prompt = request.query.prompt === selectAccountPrompt ? { prompt: selectAccountPrompt } : {};
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
        const trustsEmail = providers[name].trustsEmail({ microsoftTenant });
        return { identity: identify(name, profile, { idField, trustsEmail }) };
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

export type Identity = Pick<SignInDetails, 'provider' | 'subject' | 'name' | 'email' | 'emailVerified'>;

/** Longer names are truncated to this length, because prompts and lists contain the name. */
const maxNameLength = 200;
/** The maximum length of an address in SMTP. */
const maxEmailLength = 254;

/** Allows only one `@`, because with two it is ambiguous where the domain starts. */
const emailPattern = /^[^\s\p{Cc}@]+@[^\s\p{Cc}@]+$/u;

const displayTextSchema = z.string().trim().refine(isVisible).nullish().catch(null);

const profileSchema = z.object({
  id: z.string().min(1).max(255),
  displayName: displayTextSchema,
  username: displayTextSchema,
  emails: z
    .array(z.object({ value: displayTextSchema, verified: z.literal(true).optional().catch(undefined) }))
    .nullish()
    .catch(null),
});

/**
 * Reads the identity from a profile. `idField` names the field to use as the subject, if the profile has it. With
 * `trustsEmail` an address counts as verified even if the profile does not say so.
 * @throws Error if the profile has no subject
 */
export function identify(
  provider: ProviderName,
  profile: unknown,
  { idField, trustsEmail }: { idField: 'subject' | 'email'; trustsEmail: boolean },
): Identity {
  const { id, displayName, username, emails } = profileSchema.parse(profile);
  const { value = null, verified = false } = emails?.[0] ?? {};
  const email = value !== null && value.length <= maxEmailLength ? value : null;
  const subject = idField === 'email' && email !== null ? email : id;
  const name = displayName ?? username ?? null;
  return {
    provider,
    subject,
    name: name && Array.from(name).slice(0, maxNameLength).join(''),
    email,
    emailVerified: email !== null && emailPattern.test(email) && (verified || trustsEmail),
  };
}

const matching = (form: RegExp) => z.string().regex(form).optional().catch(undefined);

const nameSchema = matching(/^[A-Z]\w{0,50}Error$/);
/** An OAuth error code or a Node.js error code. Authorization codes and tokens match neither form. */
const codeSchema = matching(/^(?:[a-z]{1,20}(?:_[a-z]{1,20}){0,4}|(?:ERR|E[A-Z]{2,16})(?:_[A-Z0-9]{1,20}){0,6})$/);

const failureSchema = z.object({
  name: nameSchema,
  code: codeSchema,
  oauthError: z
    .object({ code: codeSchema, statusCode: z.int().optional().catch(undefined) })
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
