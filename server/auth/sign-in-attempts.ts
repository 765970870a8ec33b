import { randomBytes } from 'node:crypto';
import { parseCookie } from 'cookie';
import { sign, unsign } from 'cookie-signature';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { type ProviderName, providerNames } from '../../shared/session.ts';
import type { SessionCookie } from './sessions.ts';

/**
 * A user needs minutes. The rest tolerates clock errors: if the server's or the browser's clock is an hour wrong, or
 * is corrected during an attempt, a shorter attempt would expire at once.
 */
const attemptMilliseconds = 2 * 60 * 60 * 1000;

/** The maximum number of used attempts that are remembered. The provider's code is single-use as well. */
const maxRemembered = 10_000;

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

type Attempt = z.infer<typeof attemptSchema>;

type Start = Pick<Attempt, 'provider' | 'returnTo' | 'invitation'>;

/**
 * The interface of `passport-oauth2`, for one sign-in: `store` is called at its start, and `verify` at its callback. `verify` passes
 * the verifier to `done`, or false if the state does not match.
 */
export type StateStore = {
  store(
    request: Request,
    verifier: string,
    state: unknown,
    meta: unknown,
    done: (error: Error | null, state?: string) => void,
  ): void;
  verify(request: Request, state: string, done: (error: Error | null, verifier: string | false) => void): void;
};

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
  const nameOf = ({ provider, state }: Pick<Attempt, 'provider' | 'state'>) => `${namePrefix}${provider}-${state}`;

  function read(name: string, cookie: string | undefined): Attempt | undefined {
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

  function remember({ state, endsAt }: Attempt): void {
    for (const [known, until] of used) {
      if (until > Date.now() && used.size < maxRemembered) break;
      used.delete(known);
    }
    used.set(state, endsAt);
  }

  return {
    /** Returns the state store of a new attempt. Its cookie is set on `response`. */
    begin(response: Response, start: Start): StateStore {
      return {
        store(request, verifier, _state, _meta, done) {
          const state = randomBytes(12).toString('hex');
          const endsAt = Date.now() + attemptMilliseconds;
          const attempt: Attempt = { ...start, state, verifier, endsAt };
          const name = nameOf(attempt);
          const value = sign(Buffer.from(JSON.stringify(attempt)).toString('base64url'), secret);
          clearOldest(request, response, { ...start, name, value });
          response.cookie(name, value, { ...attributes, expires: new Date(endsAt) });
          done(null, state);
        },
        verify: (_request, _state, done) => done(null, false),
      };
    },

    /** Returns the attempt that this callback belongs to, if any, and marks it as used regardless of the outcome. */
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

function decode(text: string): Attempt | undefined {
  try {
    return attemptSchema.parse(JSON.parse(Buffer.from(text, 'base64url').toString()));
  } catch {
    return undefined;
  }
}
