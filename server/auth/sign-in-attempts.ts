import { randomBytes } from 'node:crypto';
import { parseCookie } from 'cookie';
import { sign, unsign } from 'cookie-signature';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { type ProviderName, providerNames } from '../../shared/session.ts';
import { cookieAttributes, cookieBaseName, cookieName } from './cookie-names.ts';

/**
 * A person needs minutes. The rest tolerates clock errors: if the server's or the browser's clock is an hour wrong, or
 * is corrected during an attempt, a shorter attempt would expire at once.
 */
const attemptMilliseconds = 2 * 60 * 60 * 1000;

/** The maximum number of used attempts that are remembered. The provider's code is single-use as well. */
const maxRemembered = 10_000;

const attemptSchema = z.object({
  provider: z.enum(providerNames),
  state: z.string(),
  /** The PKCE verifier, which is sent to the provider with the code. */
  verifier: z.string(),
  /** The path to return to, and the invitation of the visitor. */
  returnTo: z.string(),
  invitation: z.string().nullable(),
  /** In milliseconds since 1970. */
  endsAt: z.number(),
});

export type Attempt = z.infer<typeof attemptSchema>;

/** The visitor's parameters at the start of an attempt. */
type Start = Pick<Attempt, 'provider' | 'returnTo' | 'invitation'>;

/** The interface of `passport-oauth2`. `verify` returns the verifier, or false if the state does not match. */
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
 * Sign-in attempts, each in its own signed cookie until the provider's callback: an attempt stores nothing in the
 * database before it succeeds, and does not affect any session. The first of `secrets` signs, and all of them verify.
 */
export function createSignInAttempts({ secrets, secure }: { secrets: readonly string[]; secure: boolean }) {
  /** The used states, each with the time until which it must be rejected. */
  const used = new Map<string, number>();
  const [secret = ''] = secrets;
  /** Passport passes only the request to the state store, so the parameters are stored by request. */
  const startByRequest = new WeakMap<Request, Start>();
  const attemptByRequest = new WeakMap<Request, Attempt>();

  const nameFor = (provider: ProviderName) => cookieName(`${cookieBaseName}-sign-in-${provider}`, secure);

  function read({ headers }: Request, provider: ProviderName): Attempt | undefined {
    const cookie = parseCookie(headers.cookie ?? '')[nameFor(provider)];
    if (cookie === undefined) return undefined;
    const texts = secrets.map((each) => unsign(cookie, each)).filter((text) => text !== false);
    const attempt = texts.map(decode).find((each) => each?.provider === provider);
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
      const start = startByRequest.get(request);
      if (response === undefined || start === undefined) return done(new Error('This route does not start a sign-in.'));
      const state = randomBytes(12).toString('hex');
      const endsAt = Date.now() + attemptMilliseconds;
      const attempt: Attempt = { ...start, state, verifier, endsAt };
      const value = sign(Buffer.from(JSON.stringify(attempt)).toString('base64url'), secret);
      response.cookie(nameFor(start.provider), value, { ...cookieAttributes, secure, expires: new Date(endsAt) });
      done(null, state);
    },

    verify(request, state, done) {
      const attempt = attemptByRequest.get(request);
      done(null, attempt !== undefined && attempt.state === state && attempt.verifier);
    },
  };

  return {
    stateStore,

    /** Must be called before Passport redirects the visitor of `request` to the provider. */
    start(request: Request, start: Start): void {
      startByRequest.set(request, start);
    },

    /**
     * Whether the browser sent any cookie of this service. Without one, the browser blocks cookies, or the attempt's
     * cookie has expired. With one, the attempt was already used or has been replaced by another.
     */
    hasCookie({ headers }: Request): boolean {
      const names = Object.keys(parseCookie(headers.cookie ?? ''));
      return names.some((name) => name.startsWith(cookieName(cookieBaseName, secure)));
    },

    /** Returns the attempt that this callback belongs to, if any, and marks it as used regardless of the outcome. */
    take(request: Request, response: Response, provider: ProviderName): Attempt | undefined {
      const attempt = read(request, provider);
      response.clearCookie(nameFor(provider), { ...cookieAttributes, secure });
      if (attempt === undefined) return undefined;
      remember(attempt);
      attemptByRequest.set(request, attempt);
      return attempt;
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
