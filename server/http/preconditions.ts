import { isIP } from 'node:net';
import type { RequestHandler } from 'express';
import { HttpError } from '../app-error.ts';

/** Links on other sites use these methods. `Route.method` says what a GET may change. */
const safeMethods = ['GET', 'HEAD'];

/** Values of `Sec-Fetch-Site` for requests from a page of this site, and for navigations from the address bar. */
const ownSites = ['same-origin', 'none'];

/**
 * Rejects a request from another site's page with 403, unless it is a GET or HEAD. Browsers send `Sec-Fetch-Site`, and older
 * ones only `Origin`. Clients other than browsers send neither and pass.
 */
export function requireSameOrigin(publicUrl: string): RequestHandler {
  const home = new URL(publicUrl);
  return (request, _response, next) => {
    if (safeMethods.includes(request.method)) return next();
    const { origin, host } = request.headers;
    const site = request.get('Sec-Fetch-Site');
    const fromOwnSite = site === undefined || ownSites.includes(site);
    if (!fromOwnSite || !isOwnOrigin(origin, home, host)) {
      throw new HttpError(403, 'Cross-origin requests are not allowed.');
    }
    next();
  };
}

/** The origin may also match the `Host` header, because a development machine has several names: see `isKnownHost`. */
function isOwnOrigin(origin: string | undefined, home: URL, host: string | undefined): boolean {
  if (origin === undefined) return true;
  const from = URL.parse(origin);
  return from?.protocol === home.protocol && (from.host === home.host || from.host === host);
}

/**
 * Rejects requests that Node itself would reject, but without a request id: HTTP/1.1 without `Host`, and an unsupported `Expect`.
 * Also rejects several `Host` headers (RFC 9112, 3.2), of which Node uses the first and a proxy might use another.
 */
export const requireValidRequest: RequestHandler = (request, _response, next) => {
  const { expect } = request.headers;
  const hosts = request.headersDistinct.host?.length ?? 0;
  if (hosts > 1 || (hosts === 0 && request.httpVersion === '1.1')) {
    throw new HttpError(400, 'The request must have one Host header.');
  }
  if (expect !== undefined && expect.toLowerCase() !== '100-continue') {
    throw new HttpError(417, 'This Expect header is not supported.');
  }
  next();
};

/**
 * Rejects a request for another host name with 421. Otherwise, a page of another site could point its own name at a developer's
 * machine (DNS rebinding) and count as a page of this site. In production, the proxy accepts only its own names, and HTTPS
 * requires a certificate for each.
 */
export function requireKnownHost(publicUrl: string): RequestHandler {
  return ({ headers }, _response, next) => {
    if (!isKnownHost(headers.host, publicUrl)) throw new HttpError(421, 'This host is not served here.');
    next();
  };
}

/** Addresses are safe, because rebinding needs a name. So are names below `localhost`, which always resolve to this machine. */
export function isKnownHost(host: string | undefined, publicUrl: string | undefined): boolean {
  if (host === undefined) return true;
  const name = URL.parse(`http://${host}`)?.hostname;
  if (name === undefined) return false;
  if (isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0 || /^(?:.+\.)?localhost$/.test(name)) return true;
  return publicUrl !== undefined && name === new URL(publicUrl).hostname;
}

const loopback = /^(?:::1|(?:::ffff:)?127\.\d+\.\d+\.\d+)$/;

/**
 * Rejects requests that did not reach the proxy over HTTPS, according to its `X-Forwarded-Proto`. They are not redirected,
 * because they have already crossed the network unencrypted. In development, clients on the same machine can use plain HTTP.
 */
export function requireHttps({ production, trustProxy }: { production: boolean; trustProxy: boolean }): RequestHandler {
  return (request, _response, next) => {
    const { socket, headers } = request;
    const forwarded = String(headers['x-forwarded-proto'] ?? '').split(',')[0];
    const secure = trustProxy && forwarded?.trim().toLowerCase() === 'https';
    if (!secure && (production || !loopback.test(socket.remoteAddress ?? ''))) {
      throw new HttpError(403, 'HTTPS is required.');
    }
    next();
  };
}
