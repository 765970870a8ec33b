import type { RequestHandler } from 'express';
import helmet from 'helmet';
import { routes, trustedTypesPolicy } from '../../../shared/interface.ts';

/** The name under which the reporting headers know the address for violations. */
const violations = 'violations';

/**
 * Everything that the client needs comes from this server, and no text becomes a script or markup in it. What breaks that is
 * reported. Development mode has the module preamble of the dev server, which is an inline script, and its socket.
 */
export function securityHeaders({ development }: { development: boolean }): RequestHandler {
  const self = ["'self'"];
  const none = ["'none'"];
  const inline = development ? ["'unsafe-inline'"] : [];
  const strict = helmet({
    // With the default, no-referrer, browsers send `Origin: null` with forms of our own.
    referrerPolicy: { policy: 'same-origin' },
    strictTransportSecurity: false,
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: none,
        scriptSrc: [...self, ...inline],
        styleSrc: [...self, ...inline],
        imgSrc: self,
        connectSrc: development ? [...self, 'ws:'] : self,
        workerSrc: self,
        objectSrc: none,
        baseUri: none,
        formAction: self,
        frameAncestors: none,
        ...(!development && {
          requireTrustedTypesFor: ["'script'"],
          trustedTypes: [trustedTypesPolicy],
          reportUri: [routes.violations],
          reportTo: [violations],
        }),
      },
    },
  });
  if (development) return strict;
  return (request, response, next) => {
    response.setHeader('Reporting-Endpoints', `${violations}="${routes.violations}"`);
    strict(request, response, next);
  };
}

/** Only for requests over HTTPS: plain HTTP must not say this. We do not decide for other hosts under this name. */
export const strictTransport: RequestHandler = helmet.strictTransportSecurity({
  maxAge: 31_536_000,
  includeSubDomains: false,
});
