import type { RequestHandler } from 'express';
import helmet from 'helmet';

/**
 * Everything the client needs comes from this server. Development mode adds the module preamble of the dev server,
 * which is an inline script, and its socket.
 */
export function securityHeaders({ https, development }: { https: boolean; development: boolean }): RequestHandler {
  return helmet({
    // With the default, no-referrer, browsers send `Origin: null` with forms of our own.
    referrerPolicy: { policy: 'same-origin' },
    strictTransportSecurity: https && { maxAge: 31_536_000, includeSubDomains: false },
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'self'"],
        baseUri: ["'none'"],
        formAction: ["'self'"],
        frameAncestors: ["'none'"],
        imgSrc: ["'self'", 'data:'],
        objectSrc: ["'none'"],
        ...(development && {
          scriptSrc: ["'self'", "'unsafe-inline'"],
          styleSrc: ["'self'", "'unsafe-inline'"],
          connectSrc: ["'self'", 'ws:'],
        }),
      },
    },
  });
}
