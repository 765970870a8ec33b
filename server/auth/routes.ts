import { type Request, type RequestHandler, type Response, Router } from 'express';
import type { Logger } from 'pino';
import { pages, routes } from '../../shared/interface.ts';
import { joinRequestSchema } from '../../shared/join.ts';
import { providerNames, type Session, type SignInProblem } from '../../shared/session.ts';
import { HttpError } from '../app-error.ts';
import type { Database } from '../database/database.ts';
import { jsonBody } from '../http/json-body.ts';
import type { OriginOf } from '../http/origin.ts';
import { principalOf } from '../http/request-context.ts';
import { createExchange, type Identity } from './exchange.ts';
import type { Providers } from './providers.ts';
import { beginSession, endSession, findSignedIn, requireUser } from './sessions.ts';
import { createSignInAttempts } from './sign-in-attempts.ts';

const defaultSignInTimeoutMilliseconds = 10_000;

type Options = {
  people: Database['people'];
  providers: Providers;
  signUp: SignUp;
  /** The one Microsoft directory whose accounts may sign in; undefined, any. */
  microsoftTenant: string | undefined;
  publicUrl: string;
  secrets: readonly string[];
  logger: Logger;
  sessionMiddleware: RequestHandler;
  originOf: OriginOf;
  maxBodyBytes: number;
  /** Called when sessions have ended: the replies that they asked for end too. */
  onSignedOut?: () => void;
  /** How long a provider may take to answer, in all. */
  signInTimeoutMilliseconds?: number;
};

/**
 * Signing in, who is signed in, joining another organization and signing out; mounted at `/`. A provider that is not
 * configured has no routes.
 */
export function createAuthRouter({
  people,
  providers,
  signUp,
  microsoftTenant,
  publicUrl,
  secrets,
  logger,
  sessionMiddleware,
  originOf,
  maxBodyBytes,
  onSignedOut = () => undefined,
  signInTimeoutMilliseconds: timeoutMilliseconds = defaultSignInTimeoutMilliseconds,
}: Options): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const secure = publicUrl.startsWith('https:');
  const attempts = createSignInAttempts({ secrets, secure });
  const trail = (
    response: Response,
    line: { action: string; userId: string | null; provider?: string; reason?: string },
  ) => logger.info({ audit: true, ...response.locals.context.ids, ...line }, 'audit');

  for (const name of providerNames) {
    const settings = providers[name];
    if (settings === undefined) continue;
    const path = `${routes.signIn}/${name}`;
    const { stateStore } = attempts;
    const exchange = createExchange(name, settings, { publicUrl, timeoutMilliseconds, stateStore, microsoftTenant });

    /** Redirects the visitor to the provider. */
    router.get(path, neverStored, startOnSignInPage, atPublicUrl(publicUrl), (request, response) => {
      const { returnTo, invitation } = request.query;
      attempts.start(request, {
        provider: name,
        returnTo: returnPath(returnTo, publicUrl),
        invitation: invitationToken(invitation),
      });
      exchange.begin(request, response, () => returnToSignIn(response, 'expired'));
    });

    /**
     * Begins a session if the provider names an account that may sign in, and otherwise redirects to the sign-in page, which
     * has a sentence for each problem. Only a failure of `people` or of the session store is an error.
     */
    router.get(`${path}/callback`, neverStored, async (request, response) => {
      const attempt = attempts.take(request, response, name);
      const outcome = await exchange.complete(request, response, attempt !== undefined);
      if ('problem' in outcome) {
        const isBlocked = outcome.problem === 'expired' && !attempts.hasCookie(request);
        const problem = isBlocked ? 'cookies' : outcome.problem;
        logger.warn({ ...response.locals.context.ids, provider: name, ...outcome, problem }, 'A sign-in failed.');
        return returnToSignIn(response, problem);
      }

      const { identity } = outcome;
      const { returnTo = pages.chat, invitation = null } = attempt ?? {};
      const origin = originOf(request, response);
      const result = await people.signIn({
        ...identity,
        ...origin,
        invitation,
        maySignUp: maySignUp(identity, signUp),
      });
      if ('refusal' in result) {
        const { refusal: reason, userId } = result;
        trail(response, { action: 'sign-in-refused', userId, provider: name, reason });
        return returnToSignIn(response, reason);
      }

      const { person, action, needsConfirmation } = result;
      response.locals.context.addToLog({ signIn: action });
      trail(response, { action, userId: person.id, provider: name });
      await beginSession(request, response, sessionMiddleware, person.id);
      // A link can carry an invitation. Only the person, on a page of this site, agrees to join another organization.
      if (needsConfirmation && invitation !== null) return response.redirect(questionAddress(returnTo, invitation));
      response.redirect(person.onboarded ? returnTo : pages.onboarding);
    });
  }

  router.get(routes.session, neverStored, sessionMiddleware, async (request, response) => {
    const session: Session = {
      user: await findSignedIn(request),
      providers: providerNames.filter((name) => providers[name] !== undefined),
    };
    response.json(session);
  });

  // The invitation is in the body: proxies log addresses.
  router.post(routes.join, sessionMiddleware, requireUser, jsonBody(maxBodyBytes), async (request, response) => {
    const asked = joinRequestSchema.safeParse(request.body);
    if (!asked.success) throw new HttpError(422, 'The invitation token is required.');
    const { invitation, from, to } = asked.data;
    const { id: userId } = principalOf(response);
    const confirmed = from !== undefined && to !== undefined ? { from, to } : undefined;
    const answer = await people.join({ userId, invitation, confirmed }, originOf(request, response));
    if (answer === 'joined') {
      trail(response, { action: 'joined', userId });
      response.status(204).end();
      return;
    }
    if (confirmed !== undefined) throw new HttpError(409, 'The invitation or your organization is not what it was.');
    if (answer === null) throw new HttpError(404, 'There is no such invitation, or it can no longer be used.');
    response.json(answer);
  });

  /** Ends this session, or all of the person's. */
  async function signOut(request: Request, response: Response, everywhere: boolean): Promise<void> {
    const { userId } = request.session;
    if (userId !== undefined) {
      const origin = originOf(request, response);
      await people.signOut(userId, everywhere ? null : request.sessionID, origin);
      trail(response, { action: everywhere ? 'signed-out-everywhere' : 'signed-out', userId });
      onSignedOut();
    }
    await endSession(request, response, { secure });
    response.status(204).end();
  }
  // Succeeds without a session too: there is nothing to end.
  router.post(routes.signOut, sessionMiddleware, (request, response) => signOut(request, response, false));
  // Refused without a session: it does not say whose sessions to end.
  router.post(routes.signOutEverywhere, sessionMiddleware, requireUser, (request, response) =>
    signOut(request, response, true),
  );

  return router;
}

const neverStored: RequestHandler = (_request, response, next) => {
  response.set('Cache-Control', 'no-store');
  next();
};

/**
 * Redirects a navigation from another site to the sign-in page, with the same query. Otherwise any site could replace the
 * account that is signed in, and end a running reply, by a link or a redirect.
 */
const startOnSignInPage: RequestHandler = (request, response, next) => {
  if (request.get('Sec-Fetch-Site') !== 'cross-site') return next();
  response.redirect(pages.signIn + request.url.slice(request.path.length));
};

/**
 * Moves a sign-in that begins under another name of this site (127.0.0.1 for localhost, say) to the public name. The provider
 * sends the visitor back there, so the cookie of the attempt must be there. It moves once, so that a proxy
 * which hides the host's name makes no loop.
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

/** The cookie of an attempt holds the path, beside other values. */
const maxPathBytes = 1_000;

/**
 * The path to return to after sign-in, as it was asked for, if a browser would find it on this site; otherwise the chat.
 * `//host` and `/\host` lead away although they begin with a slash, and browsers drop control characters before they look.
 */
export function returnPath(asked: unknown, publicUrl: string): string {
  if (typeof asked !== 'string' || !/^\/(?![/\\])\P{Cc}*$/u.test(asked)) return pages.chat;
  if (Buffer.byteLength(asked) > maxPathBytes) return pages.chat;
  return URL.parse(asked, publicUrl)?.origin === new URL(publicUrl).origin ? asked : pages.chat;
}

/** Longer than any token that this service has made. */
const maxInvitationLength = 128;

function invitationToken(asked: unknown): string | null {
  return typeof asked === 'string' && asked !== '' ? asked.slice(0, maxInvitationLength) : null;
}

function returnToSignIn(response: Response, problem: SignInProblem) {
  response.locals.context.addToLog({ signIn: problem });
  response.redirect(`${pages.signIn}?problem=${problem}`);
}

/** Who may sign up without an invitation: anyone (`open`), or people with a verified address in one of `domains`. */
export type SignUp = { mode: 'open' | 'invited'; domains: readonly string[] };

/** An unverified address is ignored: it proves nothing about its owner. */
export function maySignUp({ email, emailVerified }: Identity, { mode, domains }: SignUp): boolean {
  if (mode === 'open') return true;
  const domain = email?.split('@').at(-1) ?? '';
  // `toLowerCase` also maps characters beyond ASCII to ASCII letters, such as the Kelvin sign to k.
  return emailVerified && /^[\w.-]+$/.test(domain) && domains.includes(domain.toLowerCase());
}

/** The page that needsConfirmation whether the person joins the organization of `invitation`, and then opens `returnTo`. */
function questionAddress(returnTo: string, invitation: string): string {
  return `${pages.signIn}?${new URLSearchParams({ returnTo, invitation })}`;
}
