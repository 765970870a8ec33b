import type { Request, RequestHandler, Response } from 'express';
import session from 'express-session';
import type { User } from '../../shared/session.ts';
import { AppError } from '../app-error.ts';
import { principalOf } from '../http/request-context.ts';
import { cookieAttributes, cookieBaseName, cookieName } from './cookie-names.ts';

declare module 'express-session' {
  interface SessionData {
    userId: string;
    /**
     * The present user with this id, or null if there is none; the store reads both together. A function, because JSON leaves
     * functions out: it is not stored.
     */
    person?: () => User | null;
    /** The store's clock when it read the session, in milliseconds since 1970. */
    readAt?: () => number;
    /** When the person signed in, and when the session was last given its full lifetime, on the same clock. */
    begunAt?: number;
    renewedAt: number;
  }
}

const dayMilliseconds = 24 * 60 * 60 * 1000;
/** How long a session lasts after its last renewal, and after its beginning however often it is renewed. */
const lifetimeMilliseconds = 30 * dayMilliseconds;
const maxLifetimeMilliseconds = 90 * dayMilliseconds;

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
  return session({
    store,
    name: cookieName(cookieBaseName, secure),
    secret: [...secrets],
    proxy: trustProxy,
    cookie: { ...cookieAttributes, secure, maxAge: lifetimeMilliseconds },
    saveUninitialized: false,
    resave: false,
    rolling: false,
  });
}

/**
 * Signs in under a new session id, so that an id planted before sign-in is worth nothing after it. `load` is the session
 * middleware: a request that comes back from a provider needs no session before.
 */
export async function beginSession(
  request: Request,
  response: Response,
  load: RequestHandler,
  userId: string,
): Promise<void> {
  await settled((done) => load(request, response, done));
  try {
    await settled((done) => request.session.regenerate(done));
    request.session.userId = userId;
    request.session.begunAt = request.session.renewedAt = Date.now();
    await settled((done) => request.session.save(done));
    // express-session takes a regenerated session for one that is not stored yet, and would store it when the answer ends.
    request.session.save = (done) => {
      done?.(undefined);
      return request.session;
    };
  } catch (error) {
    // express-session would try to store it once more, when the answer ends.
    Reflect.deleteProperty(request, 'session');
    throw error;
  }
}

/** Refuses a request without a signed-in user with `UNAUTHENTICATED`. Needs the session middleware before it. */
export const requireUser: RequestHandler = async (request, response, next) => {
  const principal = await findSignedIn(request);
  if (principal === null) throw new AppError('UNAUTHENTICATED');
  response.locals.context.principal = principal;
  next();
};

/** Refuses a user who is not onboarded with `NOT_ONBOARDED`. Needs `requireUser` before it. */
export const requireOnboarded: RequestHandler = (_request, response, next) => {
  if (!principalOf(response).onboarded) throw new AppError('NOT_ONBOARDED');
  next();
};

/** Returns the user of this request's session, or null. Renews the session when that is due. */
export async function findSignedIn(request: Request): Promise<User | null> {
  const principal = request.session.person?.() ?? null;
  if (principal !== null) await renewSession(request);
  return principal;
}

/**
 * Gives a session its full lifetime again, at most once a day and up to its maximum. It is saved here, before the response
 * begins: a streamed reply must not wait for the store at its end.
 */
async function renewSession({ session }: Request): Promise<void> {
  const now = session.readAt?.() ?? Date.now();
  if (now - (session.renewedAt ?? 0) < dayMilliseconds) return;
  session.begunAt ??= session.renewedAt ?? now;
  session.renewedAt = now;
  session.touch();
  session.cookie.maxAge = Math.min(lifetimeMilliseconds, session.begunAt + maxLifetimeMilliseconds - now);
  await settled((done) => session.save(done));
}

/** Ends the session in the store, so that a copy of its cookie is worth nothing, and clears the cookie. */
export async function endSession(request: Request, response: Response, { secure }: { secure: boolean }): Promise<void> {
  if (request.session.userId !== undefined) await settled((done) => request.session.destroy(done));
  response.clearCookie(cookieName(cookieBaseName, secure), { ...cookieAttributes, secure });
}

function settled(act: (done: (error: unknown) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => act((error) => (error ? reject(error) : resolve())));
}
