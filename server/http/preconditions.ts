import type { RequestHandler } from 'express';
import { HttpError } from '../app-error.ts';

/** Where browsers say that a request is from: a page of this site, or the person's own address bar. */
const ownSites = ['same-origin', 'none'];

/**
 * Refuses a request from another site's page with 403. Browsers say by Fetch Metadata where a request is from, older browsers
 * only by `Origin`. A client that is no browser sends neither and passes.
 */
export function requireSameOrigin(publicUrl: string): RequestHandler {
  const home = new URL(publicUrl);
  return (request, _response, next) => {
    const { origin, host } = request.headers;
    const site = request.get('Sec-Fetch-Site');
    const fromOwnSite = site === undefined || ownSites.includes(site);
    if (!fromOwnSite || !isOwnOrigin(origin, home, host)) {
      throw new HttpError(403, 'This request has to come from a page of this site.');
    }
    next();
  };
}

/** The host may also be the one that was asked: in development the machine has several names. */
function isOwnOrigin(origin: string | undefined, home: URL, host: string | undefined): boolean {
  if (origin === undefined) return true;
  const from = URL.parse(origin);
  return from?.protocol === home.protocol && (from.host === home.host || from.host === host);
}

/** What Node would refuse by itself, without a request id: HTTP/1.1 without a Host, an expectation nobody can meet. */
export const requireValidRequest: RequestHandler = (request, _response, next) => {
  const { host, expect } = request.headers;
  if (host === undefined && request.httpVersion === '1.1') throw new HttpError(400, 'The Host header is missing.');
  if (expect !== undefined && expect.toLowerCase() !== '100-continue') {
    throw new HttpError(417, 'The Expect header asks for something this server does not do.');
  }
  next();
};

const loopback = /^(?:::1|(?:::ffff:)?127\.\d+\.\d+\.\d+)$/;

/**
 * HTTPS only: what came as plain HTTP is refused, not redirected, for whatever it carried has been on the wire already.
 * Behind a trusted proxy its `X-Forwarded-Proto` counts. In development the machine itself may speak plain HTTP.
 */
export function requireHttps({ production, trustProxy }: { production: boolean; trustProxy: boolean }): RequestHandler {
  return (request, _response, next) => {
    const { socket, headers } = request;
    const encrypted = 'encrypted' in socket && socket.encrypted === true;
    const forwarded = String(headers['x-forwarded-proto'] ?? '').split(',')[0];
    const secure = encrypted || (trustProxy && forwarded?.trim().toLowerCase() === 'https');
    if (!secure && (production || !loopback.test(socket.remoteAddress ?? ''))) {
      throw new HttpError(403, 'This service is reached over HTTPS only.');
    }
    next();
  };
}
