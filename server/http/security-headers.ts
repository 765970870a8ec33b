import type { IncomingMessage } from 'node:http';
import type { RequestHandler } from 'express';
import helmet from 'helmet';
import { serviceWorker } from '../../shared/interface.ts';

/** Content security policy sources of a page's inline scripts and styles, such as `'sha256-…'`. */
export type InlineSources = { scripts: readonly string[]; styles: readonly string[] };

/** The page uses none of these features. The list has only names that Chromium knows, because it warns about others. */
const deniedFeatures = [
  'accelerometer',
  'autoplay',
  'camera',
  'display-capture',
  'encrypted-media',
  'fullscreen',
  'geolocation',
  'gyroscope',
  'hid',
  'idle-detection',
  'local-fonts',
  'magnetometer',
  'microphone',
  'midi',
  'payment',
  'picture-in-picture',
  'publickey-credentials-get',
  'screen-wake-lock',
  'serial',
  'usb',
  'xr-spatial-tracking',
];
const permissionsPolicy = deniedFeatures.map((feature) => `${feature}=()`).join(', ');

type SecurityOptions = { development: boolean; inline?: InlineSources };

const noInline: InlineSources = { scripts: [], styles: [] };
const anyInline: InlineSources = { scripts: ["'unsafe-inline'"], styles: ["'unsafe-inline'"] };

/**
 * Allows only resources from this server and the inline scripts and styles of `inline`, and only the service worker's policy to
 * convert text to a script's URL. Development mode allows all such conversions, all inline scripts and styles, and WebSockets.
 */
export function securityHeaders({ development, inline = noInline }: SecurityOptions): RequestHandler {
  const self = ["'self'"];
  const none = ["'none'"];
  const { scripts, styles } = development ? anyInline : inline;
  const policy = helmet({
    // With the default, `no-referrer`, browsers send `Origin: null` with our own forms.
    referrerPolicy: { policy: 'same-origin' },
    strictTransportSecurity: false,
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: none,
        scriptSrc: [...self, ...scripts],
        styleSrc: [...self, ...styles],
        // Diagrams without a frame are shown as pictures.
        imgSrc: [...self, 'blob:'],
        connectSrc: development ? [...self, 'ws:'] : self,
        workerSrc: self,
        frameSrc: self,
        manifestSrc: self,
        objectSrc: none,
        baseUri: none,
        formAction: self,
        frameAncestors: none,
        ...(!development && {
          requireTrustedTypesFor: ["'script'"],
          trustedTypes: [serviceWorker.policy],
        }),
      },
    },
  });
  return (request, response, next) => {
    response.set('Permissions-Policy', permissionsPolicy);
    policy(request, response, next);
  };
}

type DiagramOptions = { development: boolean; publicUrl: string | undefined };

/**
 * Sets the policy of the page in which diagrams are drawn. Its origin is opaque even if the page is opened directly: it has no
 * cookies and no storage. It can load only its own scripts and styles, and only pages of this site can frame it. Mermaid uses
 * inline styles.
 */
export function diagramHeaders({ development, publicUrl }: DiagramOptions): RequestHandler {
  // In WebKit, `'self'` matches nothing in a frame with an opaque origin, so the origin is listed by name. The requested
  // origin is included, because a development machine has several names.
  const self = ["'self'", ...(publicUrl === undefined ? [] : [new URL(publicUrl).origin]), requestedOrigin];
  const policy = helmet.contentSecurityPolicy({
    useDefaults: false,
    directives: {
      defaultSrc: ["'none'"],
      scriptSrc: development ? [...self, "'unsafe-inline'"] : self,
      styleSrc: [...self, "'unsafe-inline'"],
      imgSrc: ['data:'],
      baseUri: ["'none'"],
      formAction: ["'none'"],
      frameAncestors: ["'self'"],
      sandbox: ['allow-scripts'],
    },
  });
  return (request, response, next) => {
    // Chromium logs a warning if a frame with an opaque origin has this header.
    response.removeHeader('Origin-Agent-Cluster');
    policy(request, response, next);
  };
}

/** Returns the origin of the `Host` header. As a CSP source, it also matches HTTPS. */
function requestedOrigin({ headers }: IncomingMessage): string {
  return URL.parse(`http://${headers.host}`)?.origin ?? "'self'";
}

/** For modules that a page with an opaque origin imports: their requests are cross-origin. The files are public. */
export const allowAnyOrigin: RequestHandler = (_request, response, next) => {
  response.set('Access-Control-Allow-Origin', '*');
  next();
};

/** Use it only for responses over HTTPS. Excludes subdomains, which can belong to other services. */
export const strictTransport: RequestHandler = helmet.strictTransportSecurity({
  maxAge: 31_536_000,
  includeSubDomains: false,
});
