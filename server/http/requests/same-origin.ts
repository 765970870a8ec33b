import type { RequestHandler } from 'express';
import { HttpError } from './http-error.ts';

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
