import { type Request, type RequestHandler, type Response, Router } from 'express';
import type { Logger } from 'pino';
import { pages, routes } from '../../shared/interface.ts';
import { providerNames, type Session, type SignInProblem } from '../../shared/session.ts';
import { requestIdOf } from '../http/request-id.ts';
import { createExchange } from './exchange.ts';
import { findSignedIn, requireSameOrigin } from './guards.ts';
import type { People } from './people.ts';
import type { Providers } from './providers.ts';
import { returnPath } from './return-path.ts';
import { beginSession, beginSignInAttempt, endSession, endSignInAttempt } from './sessions.ts';

const defaultSignInTimeoutMilliseconds = 10_000;

/**
 * Signing in and out, and who is signed in; mounted at `/`. A provider that is not configured has no routes.
 *
 * Whatever fails on the provider's side leads to the sign-in page, with a problem that has a sentence there; only a
 * failing session store or `people` is an error. The provider's answers must arrive within
 * `signInTimeoutMilliseconds` in all.
 */
export function createAuthRouter({
  people,
  providers,
  publicUrl,
  logger,
  sessionMiddleware,
  signInTimeoutMilliseconds = defaultSignInTimeoutMilliseconds,
}: {
  people: People;
  providers: Providers;
  publicUrl: string;
  logger: Logger;
  sessionMiddleware: RequestHandler;
  signInTimeoutMilliseconds?: number;
}): Router {
  const router = Router({ caseSensitive: true, strict: true });

  router.get(routes.session, neverStored, sessionMiddleware, async (request, response) => {
    const session: Session = {
      user: await findSignedIn(request),
      providers: providerNames.filter((name) => providers[name] !== undefined),
    };
    response.json(session);
  });

  router.post(routes.signOut, requireSameOrigin(publicUrl), sessionMiddleware, async (request, response) => {
    await endSession(request, response);
    response.status(204).end();
  });

  for (const name of providerNames) {
    const settings = providers[name];
    if (settings === undefined) continue;
    const path = `${routes.signIn}/${name}`;
    const exchange = createExchange(name, settings, { publicUrl, timeoutMilliseconds: signInTimeoutMilliseconds });

    router.get(path, neverStored, atPublicUrl(publicUrl), sessionMiddleware, async (request, response) => {
      await beginSignInAttempt(request, returnPath(request.query.returnTo, publicUrl));
      exchange.begin(request, response, () => returnToSignIn(response, 'expired'));
    });

    router.get(`${path}/callback`, neverStored, sessionMiddleware, async (request, response) => {
      const outcome = await exchange.complete(request, response);
      if ('problem' in outcome) {
        logger.warn({ requestId: requestIdOf(response), provider: name, ...outcome }, 'A sign-in failed.');
        await endSignInAttempt(request);
        return returnToSignIn(response, outcome.problem);
      }
      const person = await people.signIn(outcome.identity);
      const { returnTo = pages.chat } = request.session;
      await beginSession(request, person.id);
      response.redirect(person.onboarded ? returnTo : pages.onboarding);
    });
  }

  return router;
}

const neverStored: RequestHandler = (_request, response, next) => {
  response.set('Cache-Control', 'no-store');
  next();
};

/**
 * Moves a sign-in that begins under another name of this site (127.0.0.1 for localhost, say) to the public one, where
 * the provider will send the visitor back to: the session cookie has to be there. It moves once, so that a proxy which
 * hides the host's name makes no loop.
 */
function atPublicUrl(publicUrl: string): RequestHandler {
  const home = new URL(publicUrl);
  return ({ headers, path, query, url }: Request, response, next) => {
    if (headers.host === home.host || query.moved !== undefined) return next();
    const target = new URL(path, home);
    target.search = new URL(url, home).search;
    target.searchParams.set('moved', 'true');
    response.redirect(target.href);
  };
}

function returnToSignIn(response: Response, problem: SignInProblem) {
  response.redirect(`${pages.signIn}?problem=${problem}`);
}
