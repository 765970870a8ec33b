import type { Request, RequestHandler, Response } from 'express';
import type { Logger } from 'pino';
import { type LimitName, limits } from '../../shared/interface.ts';
import { clientAddress, isPrivateAddress } from './client-address.ts';
import { userOf } from './request-context.ts';

/** Returns the middleware that counts each request against one row of `limits`, or refuses it with `RATE_LIMITED`. */
export type CountAgainst = (name: LimitName) => RequestHandler;

type Options = {
  limiters: Record<LimitName, { take(key: string): Promise<void> }>;
  trustProxy: boolean;
  logger: Logger;
};

export function createCountAgainst({ limiters, trustProxy, logger }: Options): CountAgainst {
  let warnedOfAddress = false;
  function warnOfAddress(address: string): void {
    if (!trustProxy || warnedOfAddress || !isPrivateAddress(address)) return;
    warnedOfAddress = true;
    logger.warn(
      'a client has a private address, so all clients may share one limit: check that the proxy sets X-Forwarded-For',
    );
  }

  const keys = {
    address(request: Request) {
      const address = clientAddress(request);
      warnOfAddress(address);
      return address;
    },
    user: (_request: Request, response: Response) => userOf(response).id,
  };

  return (name) => {
    const keyOf = keys[limits[name].countedBy];
    return async (request, response, next) => {
      await limiters[name].take(keyOf(request, response));
      next();
    };
  };
}
