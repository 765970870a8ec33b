import { type Request, type RequestHandler, type Response, Router } from 'express';
import type { Logger } from 'pino';
import { pages } from '../../shared/interface.ts';
import { joinRequestSchema } from '../../shared/join.ts';
import { providerNames, type Session, type SignInProblem } from '../../shared/session.ts';
import { HttpError } from '../app-error.ts';
import type { Database } from '../database/database.ts';
import type { AuditSourceOf } from '../http/client-address.ts';
import { userOf } from '../http/request-context.ts';
import type { Mount } from '../http/route-checks.ts';
import type { Proxies } from '../proxies.ts';
import type { Providers } from './providers.ts';
import { type BeginSession, endSession, findSignedInUser, sessionCookie } from './sessions.ts';
import { createExchange, createSignInAttempts, type Identity } from './sign-in.ts';

type Options = {
  users: Database['users'];
  providers: Providers;
  signUp: SignUp;
  microsoftTenant: string | undefined;
  publicUrl: string;
  proxies: Proxies;
  secrets: readonly [string, ...string[]];
  logger: Logger;
  mount: Mount;
  beginSession: BeginSession;
  auditSourceOf: AuditSourceOf;
  /** Called after sessions have ended, to stop the replies that they requested. */
  onSignedOut: () => void;
  signInTimeoutMilliseconds: number | undefined;
};

export function createAuthRouter({
  users,
  providers,
  signUp,
  microsoftTenant,
  publicUrl,
  proxies,
  secrets,
  logger,
  mount,
  beginSession,
  auditSourceOf,
  onSignedOut,
  signInTimeoutMilliseconds: timeoutMilliseconds = 10_000,
}: Options): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const cookie = sessionCookie(publicUrl);
  const attempts = createSignInAttempts({ secrets, cookie });
  const logAuditEvent = (
    response: Response,
    line: { action: string; userId: string | null; provider?: string; reason?: string },
  ) => logger.info({ audit: true, ...response.locals.context.ids, ...line }, 'audit');

  for (const name of providerNames) {
    const settings = providers[name];
    if (settings === undefined) continue;
    const exchange = createExchange(name, settings, { publicUrl, timeoutMilliseconds, microsoftTenant, proxies });

    const startSignIn: RequestHandler = (request, response) => {
      const { returnTo, invitation } = request.query;
      const stateStore = attempts.begin(response, {
        provider: name,
        returnTo: returnPath(returnTo, publicUrl),
        invitation: invitationToken(invitation),
      });
      exchange.begin(request, response, stateStore, () => returnToSignIn(response, 'expired'));
    };
    mount(router, 'signInStart', [redirectCrossSite, redirectToPublicUrl(publicUrl), startSignIn], { provider: name });

    /**
     * A failure of `users` or of the session store is an error. Any other failure redirects to the sign-in page with the problem.
     */
    const completeSignIn: RequestHandler = async (request, response) => {
      const attempt = attempts.take(request, response, name);
      const exchanged = await exchange.complete(request, response, attempt?.stateStore);
      if ('problem' in exchanged) {
        // A browser that sends any cookie does not block cookies.
        const isBlocked = exchanged.problem === 'expired' && request.headers.cookie === undefined;
        const problem = isBlocked ? 'cookies' : exchanged.problem;
        logger.warn({ ...response.locals.context.ids, provider: name, ...exchanged, problem }, 'sign-in failed');
        return returnToSignIn(response, problem);
      }

      const { identity } = exchanged;
      const { returnTo = pages.chat, invitation = null } = attempt ?? {};
      const source = auditSourceOf(request, response);
      const result = await users.signIn({
        ...identity,
        ...source,
        invitation,
        maySignUp: maySignUp(identity, signUp),
      });
      if ('refusal' in result) {
        const { refusal: reason, userId } = result;
        logAuditEvent(response, { action: 'sign-in-refused', userId, provider: name, reason });
        return returnToSignIn(response, reason);
      }

      const { person: user, action, needsConfirmation } = result;
      response.locals.context.addToLog({ signIn: action });
      logAuditEvent(response, { action, userId: user.id, provider: name });
      // Any site can link to an invitation, so the user has to confirm on a page of this site before joining another
      // organization.
      const nextPage =
        needsConfirmation && invitation !== null
          ? confirmationUrl(returnTo, invitation)
          : user.onboarded
            ? returnTo
            : onboardingUrl(returnTo);
      // Follows the exchange, so that a sign-in that fails does not need the session store.
      await beginSession(request, response, user.id);
      response.redirect(nextPage);
    };
    mount(router, 'signInCallback', [completeSignIn], { provider: name });
  }

  const describeSession: RequestHandler = async (request, response) => {
    response.json({
      user: await findSignedInUser(request),
      providers: providerNames.filter((name) => providers[name] !== undefined),
    } satisfies Session);
  };
  mount(router, 'session', [describeSession]);

  // The token is in the body, because proxies log URLs.
  const join: RequestHandler = async (request, response) => {
    const parsed = joinRequestSchema.safeParse(request.body);
    if (!parsed.success) throw new HttpError(422, 'The invitation token is required.');
    const { invitation, from, to } = parsed.data;
    const { id: userId } = userOf(response);
    const confirmed = from !== undefined && to !== undefined ? { from, to } : undefined;
    const answer = await users.join({ userId, invitation, confirmed }, auditSourceOf(request, response));
    if (answer === 'joined') {
      logAuditEvent(response, { action: 'joined', userId });
      response.status(204).end();
      return;
    }
    if (confirmed !== undefined) throw new HttpError(409, 'The invitation or your organization has changed.');
    if (answer === null) throw new HttpError(404, 'This invitation does not exist or is no longer valid.');
    response.json(answer);
  };
  mount(router, 'join', [join]);

  async function signOut(request: Request, response: Response, everywhere: boolean): Promise<void> {
    const { userId } = request.session;
    if (userId !== undefined) {
      const source = auditSourceOf(request, response);
      await users.signOut(userId, everywhere ? null : request.sessionID, source);
      logAuditEvent(response, { action: everywhere ? 'signed-out-everywhere' : 'signed-out', userId });
      onSignedOut();
    }
    await endSession(request, response, cookie);
    response.status(204).end();
  }
  // Idempotent: succeeds even without a session.
  mount(router, 'signOut', [(request, response) => signOut(request, response, false)]);
  // Requires a session, because its user's id selects the sessions to end.
  mount(router, 'signOutEverywhere', [(request, response) => signOut(request, response, true)]);

  return router;
}

/**
 * Redirects a navigation from another site or a sibling host to the sign-in page with the same query. Otherwise any
 * such page could replace the signed-in account, and abort a reply in progress, by a link or a redirect.
 */
const redirectCrossSite: RequestHandler = (request, response, next) => {
  if (!['cross-site', 'same-site'].includes(request.get('Sec-Fetch-Site') ?? '')) return next();
  response.redirect(pages.signIn + request.url.slice(request.path.length));
};

/**
 * Redirects a sign-in that starts on another name of this site (such as 127.0.0.1 for localhost) to the public name,
 * because the provider returns there and the attempt's cookie must be there too. Redirects only once, so that a proxy
 * that hides the host name does not cause a loop.
 */
function redirectToPublicUrl(publicUrl: string): RequestHandler {
  const home = new URL(publicUrl);
  return ({ headers, path, query, url }: Request, response, next) => {
    if (headers.host === home.host || query.moved !== undefined) return next();
    const target = new URL(path, home);
    target.search = new URL(url, home).search;
    target.searchParams.set('moved', 'true');
    response.redirect(target.href);
  };
}

/** The path is stored in the cookie of the attempt, which has a size limit. */
const maxPathBytes = 1_000;

/**
 * Returns the requested path if a browser would resolve it to this site and it is not too long, and otherwise the path of the
 * chat. `//host` and `/\host` lead to other sites, and browsers remove control characters from a URL before they parse it.
 */
export function returnPath(requested: unknown, publicUrl: string): string {
  if (typeof requested !== 'string' || !/^\/(?![/\\])\P{Cc}*$/u.test(requested)) return pages.chat;
  if (Buffer.byteLength(requested) > maxPathBytes) return pages.chat;
  return URL.parse(requested, publicUrl)?.origin === new URL(publicUrl).origin ? requested : pages.chat;
}

/** Longer than every token that this service creates. */
const maxInvitationLength = 128;

function invitationToken(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value.slice(0, maxInvitationLength) : null;
}

function returnToSignIn(response: Response, problem: SignInProblem) {
  response.locals.context.addToLog({ signIn: problem });
  response.redirect(`${pages.signIn}?problem=${problem}`);
}

/** Who can sign up without an invitation: anyone (`open`), or users with a verified address in one of `domains`. */
type SignUp = { mode: 'open' | 'invited'; domains: readonly string[] };

/** Ignores unverified addresses, because anyone can claim one. */
export function maySignUp({ email, emailVerified }: Identity, { mode, domains }: SignUp): boolean {
  if (mode === 'open') return true;
  const domain = email?.split('@').at(-1) ?? '';
  // `toLowerCase` also maps characters beyond ASCII to ASCII letters, such as the Kelvin sign to k.
  return emailVerified && /^[\w.-]+$/.test(domain) && domains.includes(domain.toLowerCase());
}

function onboardingUrl(returnTo: string): string {
  if (returnTo === pages.chat || returnTo === pages.onboarding) return pages.onboarding;
  return `${pages.onboarding}?${new URLSearchParams({ returnTo })}`;
}

function confirmationUrl(returnTo: string, invitation: string): string {
  return `${pages.signIn}?${new URLSearchParams({ returnTo, invitation })}`;
}
