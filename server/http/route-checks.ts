import type { ErrorRequestHandler, IRouter, Request, RequestHandler, Response } from 'express';
import type { Logger } from 'pino';
import { type LimitName, limits, type Route, type RouteName, routeTable } from '../../shared/route-table.ts';
import { clientAddress, isPrivateAddress } from './client-address.ts';
import type { BodyReader } from './json-body.ts';
import { userOf } from './request-context.ts';

type Options = {
  guards: Record<Route['access'], readonly RequestHandler[]>;
  limiters: Record<LimitName, { take(key: string): Promise<void> }>;
  bodies: BodyReader;
  /** Replaces the bound of live chat, and applies to the other routes if it is smaller. */
  maxBodyBytes: number;
  trustProxy: boolean;
  logger: Logger;
};

type MountOptions = {
  /** Refuses a turn that exceeds the capacity of this process. */
  capacity?: RequestHandler;
  /** Handle an error of a check or of a handler first. */
  errorHandlers?: ErrorRequestHandler[];
  /** Replaces `{provider}` in the path. */
  provider?: string;
};

/** Adds a route to `router`, with the method, the path and the checks of its row in `routeTable`. `handlers` run after the checks. */
export type Mount = (router: IRouter, name: RouteName, handlers: RequestHandler[], mounting?: MountOptions) => void;

export function createMount({ guards, limiters, bodies, maxBodyBytes, trustProxy, logger }: Options): Mount {
  const keyOf = createLimitKeys({ trustProxy, logger });

  function countAgainst(name: LimitName): RequestHandler {
    const key = keyOf[limits[name].countedBy];
    return async (request, response, next) => {
      await limiters[name].take(key(request, response));
      next();
    };
  }

  function bodyHandlersOf(name: RouteName, { maxBodyBytes: bound }: Route) {
    if (bound === undefined) return undefined;
    const bytes = name === 'liveChat' ? maxBodyBytes : Math.min(maxBodyBytes, bound);
    return bodies.handlersFor(bytes, { isDemo: name === 'demoChat' });
  }

  return (router, name, handlers, { capacity, errorHandlers = [], provider = '' } = {}) => {
    const route: Route = routeTable[name];
    const { method, path, access, limit, noStore } = route;
    const body = bodyHandlersOf(name, route);
    const guard = guards[access];
    // A limit by address precedes the guard, because it also protects the database from session lookups.
    const isCountedByUser = limit !== undefined && limits[limit].countedBy === 'user';

    /** Order matters: the first check that fails determines the response. */
    const checks = [
      isCountedByUser ? guard : [], // 401 UNAUTHENTICATED, 403 NOT_ONBOARDED
      capacity ?? [], // 503 UPSTREAM_OVERLOADED
      body?.admit ?? [], // 503 UPSTREAM_OVERLOADED
      limit === undefined ? [] : countAgainst(limit), // 429 RATE_LIMITED
      noStore ? sendNoStore : [],
      isCountedByUser ? [] : guard, // 401 UNAUTHENTICATED
      body?.parseJson ?? [], // 400 INVALID_JSON, 408, 413, 503
    ].flat();
    const all = [...checks, ...handlers, ...errorHandlers];
    router[method === 'GET' ? 'get' : 'post'](path.replace('{provider}', provider), ...all);
  };
}

const sendNoStore: RequestHandler = (_request, response, next) => {
  response.set('Cache-Control', 'no-store');
  next();
};

function createLimitKeys({ trustProxy, logger }: Pick<Options, 'trustProxy' | 'logger'>) {
  let warnedOfAddress = false;
  function warnOfAddress(address: string): void {
    if (!trustProxy || warnedOfAddress || !isPrivateAddress(address)) return;
    warnedOfAddress = true;
    logger.warn(
      'a client has a private address, so all clients may share one limit: check that the proxy sets X-Forwarded-For',
    );
  }

  return {
    address(request: Request) {
      const address = clientAddress(request);
      warnOfAddress(address);
      return address;
    },
    user: (_request: Request, response: Response) => userOf(response).id,
  };
}
