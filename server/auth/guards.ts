import type { Request, RequestHandler } from 'express';
import { AppError } from '../app-error.ts';
import type { Principal } from './principal.ts';
import { renewSession } from './sessions.ts';

const principals = new WeakMap<Request, Principal>();

/** The person who is signed in with this request's session, or null. Renews the session when that is due. */
export async function findSignedIn(request: Request): Promise<Principal | null> {
  const principal = request.session.person?.() ?? null;
  if (principal !== null) await renewSession(request);
  return principal;
}

/** Lets a signed-in person pass and refuses others with `UNAUTHENTICATED`. Needs the session middleware before it. */
export const requireUser: RequestHandler = async (request, _response, next) => {
  const principal = await findSignedIn(request);
  if (principal === null) throw new AppError('UNAUTHENTICATED');
  principals.set(request, principal);
  next();
};

/** The person that `requireUser` has let pass. */
export function currentUser(request: Request): Principal {
  const principal = principals.get(request);
  if (principal === undefined) throw new Error('currentUser was asked on a route without requireUser.');
  return principal;
}

/** Refuses a person who is not onboarded with `NOT_ONBOARDED`. Needs `requireUser` before it. */
export const requireOnboarded: RequestHandler = (request, _response, next) => {
  if (!currentUser(request).onboarded) throw new AppError('NOT_ONBOARDED');
  next();
};
