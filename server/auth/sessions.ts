import type { Request, RequestHandler, Response } from 'express';
import session from 'express-session';
import type { User } from '../../shared/session.ts';
import { AppError } from '../app-error.ts';
import { userOf } from '../http/request-context.ts';

declare module 'express-session' {
  interface SessionData {
    userId: string;
    /**
     * The store adds this to each session that it loads and never stores it: the current user, or null if they are suspended, and
     * the time on the store's clock in milliseconds since 1970. Absent from a new session, which has no row.
     */
    loaded?: { user: User | null; at: number };
    /** The time of sign-in and the time of the last renewal, on the same clock. The store sets both at sign-in. */
    begunAt: number;
    renewedAt: number;
  }
}

export type SessionCookie = ReturnType<typeof sessionCookie>;

/**
 * Returns the name and the attributes of the session cookie of the service at `publicUrl`. The names of the cookies of sign-in
 * attempts start with this name.
 */
export function sessionCookie(publicUrl: string) {
  const { protocol, port } = new URL(publicUrl);
  const secure = protocol === 'https:';
  return {
    // Browsers reject a `__Host-` cookie that lacks `Secure`, has a `Domain` or has another path than `/`. Cookies do not belong to a
    // port: without it in the name, two instances on one machine would replace each other's sessions.
    name: secure ? '__Host-advisory-chat' : `advisory-chat-${port || 80}`,
    attributes: { httpOnly: true, sameSite: 'lax', path: '/', secure },
  } as const;
}

const dayMilliseconds = 24 * 60 * 60 * 1000;
/** A session ends this long after its last renewal, and at most `maxLifetimeMilliseconds` after sign-in. */
const lifetimeMilliseconds = 30 * dayMilliseconds;
const maxLifetimeMilliseconds = 90 * dayMilliseconds;

type SessionOptions = {
  store: session.Store;
  /** The first secret signs, and all of them verify. */
  secrets: readonly string[];
  cookie: SessionCookie;
  trustProxy: boolean;
};

/** Loads the session of the request's cookie. A failure of the store is a server error, never a missing session. */
export function createSessionMiddleware({ store, secrets, cookie, trustProxy }: SessionOptions): RequestHandler {
  return session({
    store,
    name: cookie.name,
    secret: [...secrets],
    proxy: trustProxy,
    cookie: { ...cookie.attributes, maxAge: lifetimeMilliseconds },
    saveUninitialized: false,
    resave: false,
    rolling: false,
  });
}

export type BeginSession = (request: Request, response: Response, userId: string) => Promise<void>;

/** Returns a function that signs in with a new session. The session of the request's cookie ends. */
export function createBeginSession(options: SessionOptions): BeginSession {
  const replaceSession = createSessionMiddleware({ ...options, store: new ReplacingStore(options.store) });
  return async (request, response, userId) => {
    await promisify((done) => replaceSession(request, response, done));
    const { session } = request;
    session.userId = userId;
    try {
      await promisify((done) => session.save(done));
    } catch (error) {
      // Otherwise, express-session would send the cookie of a session that may not exist.
      session.destroy(() => undefined);
      throw error;
    }
  };
}

/**
 * Deletes the session of a cookie instead of loading it, so that the session of a sign-in has a new id, which prevents session
 * fixation.
 */
class ReplacingStore extends session.Store {
  readonly #store: session.Store;

  constructor(store: session.Store) {
    super();
    this.#store = store;
  }

  override get(id: string, done: (error: unknown) => void): void {
    this.#store.destroy(id, done);
  }

  override set(...parameters: Parameters<session.Store['set']>): void {
    this.#store.set(...parameters);
  }

  override destroy(...parameters: Parameters<session.Store['destroy']>): void {
    this.#store.destroy(...parameters);
  }
}

/** Rejects a request without a signed-in user with `UNAUTHENTICATED`. Requires the session middleware. */
export const requireUser: RequestHandler = async (request, response, next) => {
  const user = await findSignedInUser(request);
  if (user === null) throw new AppError('UNAUTHENTICATED');
  const { context } = response.locals;
  context.user = user;
  context.addToLog({ userId: user.id, orgId: user.organization.id });
  next();
};

/** Rejects a user who is not onboarded with `NOT_ONBOARDED`. Requires `requireUser`. */
export const requireOnboarded: RequestHandler = (_request, response, next) => {
  if (!userOf(response).onboarded) throw new AppError('NOT_ONBOARDED');
  next();
};

/** Returns the user of this request's session, or null, and renews the session if that is due. */
export async function findSignedInUser(request: Request): Promise<User | null> {
  const user = request.session.loaded?.user ?? null;
  if (user !== null) await renewSession(request);
  return user;
}

/**
 * Renews a session to its full lifetime, at most once a day and up to its maximum. Saves it before the response starts,
 * because the end of a streamed reply must not wait for the store.
 */
async function renewSession({ session }: Request): Promise<void> {
  const now = session.loaded?.at ?? Date.now();
  const { begunAt = now, renewedAt = 0 } = session;
  if (now - renewedAt < dayMilliseconds) return;
  session.renewedAt = now;
  session.cookie.maxAge = Math.min(lifetimeMilliseconds, begunAt + maxLifetimeMilliseconds - now);
  await promisify((done) => session.save(done));
}

/** Deletes the session from the store, which invalidates copies of its cookie, and clears the cookie. */
export async function endSession(request: Request, response: Response, cookie: SessionCookie): Promise<void> {
  if (request.session.userId !== undefined) await promisify((done) => request.session.destroy(done));
  response.clearCookie(cookie.name, cookie.attributes);
}

function promisify(call: (done: (error: unknown) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => call((error) => (error ? reject(error) : resolve())));
}
