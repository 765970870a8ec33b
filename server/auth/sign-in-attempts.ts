import { randomBytes } from 'node:crypto';
import { parseCookie } from 'cookie';
import { sign, unsign } from 'cookie-signature';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { type ProviderName, providerNames } from '../../shared/session.ts';
import { cookieAttributes, cookieBaseName, cookieName } from './cookie-names.ts';

/**
 * Minutes would do for a person. But where our clock, or the browser's by which it judges a cookie's end, is an hour wrong or
 * is put right in between, an attempt of minutes would be over at once, and nobody could sign in.
 */
const attemptMilliseconds = 2 * 60 * 60 * 1000;

/** More used attempts than this at a time are not remembered; the provider's code is single-use as well. */
const maxRemembered = 10_000;

/** The start of the name of each cookie of this service, that of the session included. */

const attemptSchema = z.object({
  provider: z.enum(providerNames),
  state: z.string(),
  /** PKCE's, which goes to the provider with the code. */
  verifier: z.string(),
  /** Where the person was going, and the invitation that they hold. */
  returnTo: z.string(),
  invitation: z.string().nullable(),
  /** In milliseconds since 1970. */
  endsAt: z.number(),
});

export type Attempt = z.infer<typeof attemptSchema>;

/** What a person chose before they went to the provider. */
type Start = Pick<Attempt, 'provider' | 'returnTo' | 'invitation'>;

/** As `passport-oauth2` has it; `verify` gives the verifier, or false where the state is another. */
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
 * Attempts to sign in, each in a signed cookie of its own until its one answer has come: an attempt leaves nothing in the
 * database before it has succeeded, and touches nobody's session. The first of `secrets` signs, all of them verify.
 */
export function createSignInAttempts({ secrets, secure }: { secrets: readonly string[]; secure: boolean }) {
  /** The states that have had their answer, and until when they must not have another. */
  const used = new Map<string, number>();
  const [secret = ''] = secrets;
  /** Passport calls the state store with the request only, so what the store needs is kept by request. */
  const startOf = new WeakMap<Request, Start>();
  const answeredAttemptOf = new WeakMap<Request, Attempt>();

  const nameFor = (provider: ProviderName) => cookieName(`${cookieBaseName}-sign-in-${provider}`, secure);

  function read({ headers }: Request, provider: ProviderName): Attempt | undefined {
    const cookie = parseCookie(headers.cookie ?? '')[nameFor(provider)];
    if (cookie === undefined) return undefined;
    const texts = secrets.map((each) => unsign(cookie, each)).filter((text) => text !== false);
    const attempt = texts.map(decoded).find((each) => each?.provider === provider);
    return attempt !== undefined && attempt.endsAt > Date.now() && !used.has(attempt.state) ? attempt : undefined;
  }

  function remember({ state, endsAt }: Attempt): void {
    for (const [known, until] of used) {
      if (until > Date.now() && used.size < maxRemembered) break;
      used.delete(known);
    }
    used.set(state, endsAt);
  }

  const stateStore: StateStore = {
    store(request, verifier, _state, _meta, done) {
      const { res: response } = request;
      const start = startOf.get(request);
      if (response === undefined || start === undefined) return done(new Error('This address begins no sign-in.'));
      const state = randomBytes(12).toString('hex');
      const endsAt = Date.now() + attemptMilliseconds;
      const attempt: Attempt = { ...start, state, verifier, endsAt };
      const value = sign(Buffer.from(JSON.stringify(attempt)).toString('base64url'), secret);
      response.cookie(nameFor(start.provider), value, { ...cookieAttributes, secure, expires: new Date(endsAt) });
      done(null, state);
    },

    verify(request, state, done) {
      const attempt = answeredAttemptOf.get(request);
      done(null, attempt !== undefined && attempt.state === state && attempt.verifier);
    },
  };

  return {
    stateStore,

    /** Has to be called before Passport sends the visitor of `request` to the provider. */
    start(request: Request, start: Start): void {
      startOf.set(request, start);
    },

    /**
     * Whether the browser sent any cookie of this service. Without one, it blocks cookies, or the attempt ended long ago and its
     * cookie has expired. With one, the attempt has had its answer, or another attempt has replaced it.
     */
    hasCookie({ headers }: Request): boolean {
      const names = Object.keys(parseCookie(headers.cookie ?? ''));
      return names.some((name) => name.startsWith(cookieName(cookieBaseName, secure)));
    },

    /** The attempt that this request is the answer to, if there is one. It is used up, whatever comes of it. */
    take(request: Request, response: Response, provider: ProviderName): Attempt | undefined {
      const attempt = read(request, provider);
      response.clearCookie(nameFor(provider), { ...cookieAttributes, secure });
      if (attempt === undefined) return undefined;
      remember(attempt);
      answeredAttemptOf.set(request, attempt);
      return attempt;
    },
  };
}

function decoded(text: string): Attempt | undefined {
  try {
    return attemptSchema.parse(JSON.parse(Buffer.from(text, 'base64url').toString()));
  } catch {
    return undefined;
  }
}
