import type { RequestHandler } from 'express';
import type { ClientAddress } from './client-address.ts';

/** Takes one place of the client's address, and passes the refusal on where `limiter` has none left. */
export function limitByAddress(
  limiter: { take(address: string): Promise<void> },
  clientAddress: ClientAddress,
): RequestHandler {
  return async (request, _response, next) => {
    await limiter.take(clientAddress(request));
    next();
  };
}
