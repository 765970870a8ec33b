import type { Request, RequestHandler, Response } from 'express';
import session from 'express-session';
import type { Principal } from './principal.ts';

declare module 'express-session' {
  interface SessionData {
    userId: string;
    /**
     * Who that is now, or null where there is nobody with this id (any more); the store reads it together with the session.
     * A function, because JSON leaves functions out: it is not stored.
     */
    person?: () => Principal | null;
    /** When the cookie and the stored session were last given their full lifetime, in milliseconds since 1970. */
    renewedAt: number;
    /** Where the person was going when they started to sign in. */
    returnTo: string;
  }
}

const dayMilliseconds = 24 * 60 * 60 * 1000;
const lifetimeMilliseconds = 30 * dayMilliseconds;
/**
 * Minutes would do for a person. But the browser judges the cookie by its own clock: where ours is an hour slow, a cookie
 * of minutes would be dropped at once, and nobody could sign in.
 */
const signInAttemptMilliseconds = 2 * 60 * 60 * 1000;

const cookieAttributes = { httpOnly: true, sameSite: 'lax', path: '/' } as const;

/** `__Host-` makes the browser itself refuse the cookie without `Secure`, from a subdomain or for another path. */
const cookieName = (secure: boolean) => (secure ? '__Host-advisory-chat' : 'advisory-chat');

/**
 * Loads the session that the request's cookie names. The first of `secrets` signs, all of them verify.
 * A store that fails is an error of ours and never "signed out".
 */
export function createSessionMiddleware({
  store,
  secrets,
  secure,
  trustProxy,
}: {
  store: session.Store;
  secrets: readonly string[];
  secure: boolean;
  trustProxy: boolean;
}): RequestHandler {
  const load = session({
    store,
    name: cookieName(secure),
    secret: [...secrets],
    proxy: trustProxy,
    cookie: { ...cookieAttributes, secure, maxAge: lifetimeMilliseconds },
    saveUninitialized: false,
    resave: false,
    rolling: false,
  });
  return (request, response, next) => {
    load(request, response, (error?: unknown) => {
      if (error) return next(error);
      // express-session carries on without a session while its store is disconnected.
      if (request.session === undefined) return next(new Error('The session store is not connected.'));
      next();
    });
  };
}

/** Remembers where to return to. Unless somebody is signed in already, the session is a short one until they are. */
export async function beginSignInAttempt({ session }: Request, returnTo: string): Promise<void> {
  session.returnTo = returnTo;
  if (session.userId === undefined) session.cookie.maxAge = signInAttemptMilliseconds;
  await settled((done) => session.save(done));
}

/**
 * Ends an attempt that failed, if one was under way. It is saved before the answer goes out: the state that came back
 * is used up, and a second answer with it must not find it.
 */
export async function endSignInAttempt({ session }: Request): Promise<void> {
  if (session.returnTo === undefined) return;
  delete session.returnTo;
  await settled((done) => session.save(done));
}

/** Signs in under a new session id, so that an id planted before sign-in is worth nothing after it. */
export async function beginSession(request: Request, userId: string): Promise<void> {
  await settled((done) => request.session.regenerate(done));
  request.session.userId = userId;
  request.session.renewedAt = Date.now();
  await settled((done) => request.session.save(done));
}

/**
 * Gives a session its full lifetime again, once a day at most.
 * It is saved here, before the response begins: a streamed reply must not wait for the store at its end.
 */
export async function renewSession({ session }: Request): Promise<void> {
  const now = Date.now();
  if (now - (session.renewedAt ?? 0) < dayMilliseconds) return;
  session.renewedAt = now;
  session.touch();
  await settled((done) => session.save(done));
}

/** Ends the session in the store, so that a copy of its cookie is worth nothing, and clears the cookie. */
export async function endSession(request: Request, response: Response): Promise<void> {
  const secure = request.session.cookie.secure === true;
  if (request.session.userId !== undefined) await settled((done) => request.session.destroy(done));
  response.clearCookie(cookieName(secure), { ...cookieAttributes, secure });
}

function settled(act: (done: (error: unknown) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => act((error) => (error ? reject(error) : resolve())));
}
