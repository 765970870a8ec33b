import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative } from 'node:path';
import { type RequestHandler, Router } from 'express';
import { conversationPage, diagramPage, pages } from '../../shared/interface.ts';
import { allowAnyOrigin, diagramHeaders, type InlineSources, securityHeaders } from '../http/security-headers.ts';

type EncodedFile = { coding: string; body: Buffer; etag: string };

/** The encodings of a file, smallest first: a client gets the first one that it accepts. */
const codings = [
  { coding: 'br', extension: '.br' },
  { coding: 'gzip', extension: '.gz' },
  { coding: 'identity', extension: '' },
] as const;

/**
 * Serves the built client in `directory`. The page is served for the client's routes and, with 404, for navigations to mistyped
 * paths. A catch-all route would also respond to missing assets and unknown API paths with HTML. All files are read once at
 * startup, so that a slow client does not keep a file open, and all responses share one copy of it.
 */
export function createBuiltPages(directory: string, publicUrl?: string): RequestHandler {
  const files = readFiles(directory);
  const router = Router({ caseSensitive: true, strict: true });

  /** Continues with the next handler if there is no file at the path. */
  const send =
    (addressOf: (path: string) => string, headers: Record<string, string>): RequestHandler =>
    (request, response, next) => {
      const address = addressOf(request.path);
      const copies = files.get(address);
      const copy = copies?.find(({ coding }) => request.acceptsEncodings(coding)) ?? copies?.at(-1);
      if (copy === undefined) return next();
      const { coding, body, etag } = copy;
      response.vary('Accept-Encoding');
      response.type(extname(address)).set({ ...headers, ETag: etag });
      if (coding !== 'identity') response.set('Content-Encoding', coding);
      response.send(body);
    };
  const policy = securityHeaders({ development: false, inline: inlineSourcesOf(files.get('/index.html')) });
  const page = (headers: Record<string, string>) => [policy, send(() => '/index.html', headers)];
  const samePath = (path: string) => path;

  // The service worker precaches the page by its file name.
  const addresses = [...Object.values(pages), conversationPage.pattern, '/index.html'];
  router.get(addresses, page({ 'Cache-Control': 'no-cache' }));
  const diagram = [
    diagramHeaders({ development: false, publicUrl }),
    send(() => '/diagram.html', { 'Cache-Control': 'no-cache' }),
  ];
  router.get([diagramPage.path, '/diagram.html'], diagram);
  router.use(diagramPage.filesPath, allowAnyOrigin);
  // These file names contain a hash of the content.
  router.get(/^\/assets\//, send(samePath, { 'Cache-Control': 'public, max-age=31536000, immutable' }));
  router.get(/^\//, send(samePath, { 'Cache-Control': 'public, max-age=0' }));
  router.get(mistypedPathPattern, skipUnlessNavigation, setNotFound, page({}));
  return router;
}

/** Any path of word characters and hyphens outside `/api`, `/auth` and `/assets`. */
export const mistypedPathPattern = /^\/(?!(?:api|auth|assets)(?:\/|$))[\w-]+(?:\/[\w-]+)*\/?$/i;

/** `Sec-Fetch-Mode` of a navigation that the service worker forwards: `navigate` in Chromium, `same-origin` in Firefox. */
const forwardedModes = ['navigate', 'same-origin'];

/** Passes only browser navigations, including those that the service worker forwards, regardless of the Accept header. */
export const skipUnlessNavigation: RequestHandler = (request, _response, next) => {
  const destination = request.get('Sec-Fetch-Dest');
  const isForwarded = destination === 'empty' && forwardedModes.includes(request.get('Sec-Fetch-Mode') ?? '');
  next(destination === 'document' || isForwarded ? undefined : 'route');
};

const setNotFound: RequestHandler = (_request, response, next) => {
  response.status(404);
  next();
};

/** Maps each URL path to the copies of its file. Empty if the client is not built. */
function readFiles(directory: string): Map<string, EncodedFile[]> {
  const entries = existsSync(directory) ? readdirSync(directory, { recursive: true, withFileTypes: true }) : [];
  const paths = new Set(
    entries
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => relative(directory, join(parentPath, name))),
  );
  return new Map(
    [...paths]
      .filter((path) => !/(?:^\.|\.(?:br|gz)$)/.test(path))
      .map((path) => [
        `/${path.replaceAll('\\', '/')}`,
        codings
          .filter(({ extension }) => paths.has(path + extension))
          .map(({ coding, extension }) => readEncodedFile(coding, join(directory, path + extension))),
      ]),
  );
}

function inlineSourcesOf(page: readonly EncodedFile[] = []): InlineSources {
  const html = page.find(({ coding }) => coding === 'identity')?.body.toString() ?? '';
  const hashesOf = (tag: 'script' | 'style') =>
    Array.from(html.matchAll(new RegExp(`<${tag}>(.*?)</${tag}>`, 'gs')), ([, content = '']) => {
      return `'sha256-${createHash('sha256').update(content).digest('base64')}'`;
    });
  return { scripts: hashesOf('script'), styles: hashesOf('style') };
}

function readEncodedFile(coding: string, path: string): EncodedFile {
  const body = readFileSync(path);
  return { coding, body, etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"` };
}
