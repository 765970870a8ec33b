import express, { type Express, type RequestHandler } from 'express';
import type { Logger } from 'pino';
import { headers, promptVersion, routes } from '../shared/interface.ts';
import { AppError, HttpError } from './app-error.ts';
import type { Providers } from './auth/providers.ts';
import { createAuthRouter } from './auth/routes.ts';
import {
  createBeginSession,
  createSessionMiddleware,
  requireOnboarded,
  requireUser,
  sessionCookie,
} from './auth/sessions.ts';
import { createDemoTurn, narrowErrors } from './chat/demo-turn.ts';
import type { LateWrites } from './chat/late-writes.ts';
import { createLiveTurn } from './chat/live-turn.ts';
import { createReplyWatch } from './chat/reply-watch.ts';
import type { StreamLimit } from './chat/stream-limit.ts';
import type { Config } from './config/config.ts';
import type { Database } from './database/database.ts';
import { createAuditSourceOf } from './http/client-address.ts';
import { errorHandler, refuseOtherMethods } from './http/errors.ts';
import { createHealthRoutes } from './http/health.ts';
import type { BodyReader } from './http/json-body.ts';
import { requireHttps, requireKnownHost, requireSameOrigin, requireValidRequest } from './http/preconditions.ts';
import { type RequestObserver, requestLog } from './http/request-context.ts';
import { createMount } from './http/route-checks.ts';
import { securityHeaders, strictTransport } from './http/security-headers.ts';
import { createStreamHandler } from './http/text-reply.ts';
import type { Limiters } from './limits/limiter.ts';
import type { TokenBudget } from './limits/token-budget.ts';
import type { Model } from './model/anthropic-model.ts';
import { createOnboardingRoute } from './onboarding/route.ts';

export type Dependencies = {
  config: Pick<
    Config,
    'production' | 'trustProxy' | 'maxBodyBytes' | 'tokensPerDay' | 'signUp' | 'microsoftTenant' | 'proxies'
  >;
  /** The address of the service, from which callback URLs and cookie attributes are derived. */
  publicUrl: string;
  sessionSecrets: readonly [string, ...string[]];
  providers: Providers;
  database: Database;
  model: Model;
  limiters: Limiters;
  demoBudget: TokenBudget | undefined;
  lateWrites: LateWrites;
  streams: StreamLimit;
  bodies: BodyReader;
  /** The interval of checks for ended sessions of replies in flight; 1 s by default. */
  replyWatchMilliseconds?: number;
  /** The time limit for all of a sign-in provider's responses together; 10 s by default. */
  signInTimeoutMilliseconds?: number | undefined;
  observe?: RequestObserver;
  trace?: RequestHandler;
  pages: RequestHandler;
  /** Whether the dev server serves the pages. Its modules need a looser Content-Security-Policy. */
  development?: boolean;
  /** The phases of `createShutdown`. */
  stopping: AbortSignal;
  draining: AbortSignal;
  graceEnded: AbortSignal;
  logger: Logger;
};

/** A request passes the middleware in the order in which it is listed here. */
export function createApp(dependencies: Dependencies): Express {
  const { config, publicUrl, sessionSecrets: secrets, providers, database, model, limiters, demoBudget } = dependencies;
  const { lateWrites, streams, bodies, observe, trace, pages, stopping, draining, graceEnded, logger } = dependencies;
  const { production, trustProxy, maxBodyBytes, tokensPerDay, signUp, microsoftTenant, proxies } = config;
  const { development = false, replyWatchMilliseconds: intervalMilliseconds, signInTimeoutMilliseconds } = dependencies;
  const { users, turns, engagements, sessionStore, outage } = database;
  const https = publicUrl.startsWith('https:');

  const auditSourceOf = createAuditSourceOf(secrets);
  const sessionOptions = { secrets, cookie: sessionCookie(publicUrl), trustProxy };
  const session = createSessionMiddleware({ ...sessionOptions, store: sessionStore });
  const beginSession = createBeginSession({ ...sessionOptions, store: sessionStore });
  const retryingSession = createSessionMiddleware({
    ...sessionOptions,
    store: sessionStore.retrying(outage, [draining]),
  });
  const mount = createMount({
    guards: {
      public: [],
      session: [session],
      user: [session, requireUser],
      onboarded: [retryingSession, requireUser, requireOnboarded],
    },
    limiters,
    bodies,
    maxBodyBytes,
    trustProxy,
    logger,
  });
  const { findActive } = sessionStore;
  const replyWatch = createReplyWatch({ logger, findActive, ...(intervalMilliseconds && { intervalMilliseconds }) });

  const app = express();
  app.disable('x-powered-by');
  app.enable('case sensitive routing');
  app.enable('strict routing');

  app.use(securityHeaders({ development }));
  app.use(createHealthRoutes({ mount, stopping }));
  app.use(requestLog(logger, observe));
  if (trace) app.use(trace);
  app.use(requireValidRequest);
  if (!production) app.use(requireKnownHost(publicUrl));
  app.use(requireHttps({ production, trustProxy }));
  if (https) app.use(strictTransport);
  app.use(refuseWhile(draining));

  // Another site's page can send requests on behalf of a user. These must not count against the user's slots and limits.
  app.use(requireSameOrigin(publicUrl));
  // Each turn then checks its messages (400, 413) and its budget (429).
  const demoTurn = createDemoTurn({ budget: demoBudget, model, graceEnded });
  mount(app, 'demoChat', [createStreamHandler({}, demoTurn)], {
    capacity: streams.admitDemo,
    errorHandlers: [streams.releaseFailed, narrowErrors],
  });
  const liveTurn = createLiveTurn({
    budgets: tokensPerDay,
    turns,
    outage,
    lateWrites,
    model,
    replyWatch,
    draining,
    graceEnded,
  });
  mount(app, 'liveChat', [createStreamHandler({ [headers.promptVersion]: promptVersion }, liveTurn)], {
    capacity: streams.admitUser(limiters.live, lateWrites),
    errorHandlers: [streams.releaseFailed],
  });
  app.all([routes.demoChat, routes.liveChat], refuseOtherMethods);
  app.use(
    createAuthRouter({
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
      onSignedOut: () => void replyWatch.check(),
      signInTimeoutMilliseconds,
    }),
  );
  app.use(createOnboardingRoute({ mount, engagements, auditSourceOf, logger }));

  // Covers any method and any Accept header, so that no client mistakes a page for an API response.
  app.use('/api', notFound);
  app.use(pages);
  app.use(notFound);
  app.use(errorHandler);
  return app;
}

/** Clients retry refused requests on another instance, as after an overload. */
function refuseWhile(draining: AbortSignal): RequestHandler {
  return (_request, response, next) => {
    if (!draining.aborted) return next();
    response.set('Connection', 'close');
    next(new AppError('UPSTREAM_OVERLOADED'));
  };
}

const notFound: RequestHandler = () => {
  throw new HttpError(404, 'Not found.');
};
