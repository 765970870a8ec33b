import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative } from 'node:path';
import { Readable } from 'node:stream';
import { type RequestHandler, Router } from 'express';
import { conversationPage, diagramPage, pages } from '../../shared/interface.ts';
import { allowAnyOrigin, diagramHeaders, type InlineSources, securityHeaders } from '../http/security-headers.ts';

/** A file as it is, or a compressed copy that the build left beside it. */
type Copy = { coding: string; body: Buffer; etag: string };

/** The smallest comes first. */
const codings = [
  { coding: 'br', ending: '.br' },
  { coding: 'gzip', ending: '.gz' },
  { coding: 'identity', ending: '' },
] as const;

/**
 * The built client in `directory`. Its page is served with 200 at the addresses it has routes for, and nowhere else: a
 * catch-all would answer missing assets and unknown interface paths with HTML. The files are read once: an answer that
 * waits for its reader holds no file open, and no copy of its own.
 */
export function createBuiltPages(directory: string): RequestHandler {
  const files = readFiles(directory);
  const router = Router({ caseSensitive: true, strict: true });

  /** Sends the file at the address, whole, in a coding that the client takes, where there is such a file. */
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
      if (request.method === 'HEAD' || request.fresh) return void response.send(body);
      response.set('Content-Length', String(body.length));
      Readable.from(piecesOf(body)).pipe(response);
    };
  const policy = securityHeaders({ development: false, inline: inlineSourcesOf(files.get('/index.html')) });
  const page = (headers: Record<string, string>) => [policy, send(() => '/index.html', headers)];
  const asked = (path: string) => path;

  // The service worker keeps the page by the name of its file.
  const addresses = [...Object.values(pages), conversationPage.pattern, '/index.html'];
  router.get(addresses, page({ 'Cache-Control': 'no-cache' }));
  const diagram = [
    diagramHeaders({ development: false }),
    send(() => '/diagram.html', { 'Cache-Control': 'no-cache' }),
  ];
  router.get([diagramPage.path, '/diagram.html'], diagram);
  router.use(diagramPage.files, allowAnyOrigin);
  // Their names carry a hash of their contents.
  router.get(/^\/assets\//, send(asked, { 'Cache-Control': 'public, max-age=31536000, immutable' }));
  router.get(/^\//, send(asked, { 'Cache-Control': 'public, max-age=0' }));
  router.get(mistypedPage, forNavigation, notFoundHere, page({}));
  return router;
}

/** One plain word, as the pages' own addresses are: nothing of the interface or of the assets looks like it. */
export const mistypedPage = /^\/[\w-]+$/;

/** Lets only a page that a person opens in a browser pass. A page's own requests and programs do not, whatever they accept. */
export const forNavigation: RequestHandler = (request, _response, next) => {
  next(request.get('Sec-Fetch-Dest') === 'document' ? undefined : 'route');
};

const notFoundHere: RequestHandler = (_request, response, next) => {
  response.status(404);
  next();
};

/** What is written at once is encrypted at once, and then held for each reader. */
const pieceBytes = 16 * 1024;

function* piecesOf(body: Buffer): Generator<Buffer> {
  for (let begin = 0; begin < body.length; begin += pieceBytes) yield body.subarray(begin, begin + pieceBytes);
}

/** Every file by its address, with its copies. Where nothing is built there is none. */
function readFiles(directory: string): Map<string, Copy[]> {
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
          .filter(({ ending }) => paths.has(path + ending))
          .map(({ coding, ending }) => copyOf(coding, join(directory, path + ending))),
      ]),
  );
}

/** The hashes of the scripts and styles that stand in the page itself. */
function inlineSourcesOf(page: readonly Copy[] = []): InlineSources {
  const html = page.find(({ coding }) => coding === 'identity')?.body.toString() ?? '';
  const hashesOf = (tag: 'script' | 'style') =>
    Array.from(html.matchAll(new RegExp(`<${tag}>(.*?)</${tag}>`, 'gs')), ([, content = '']) => {
      return `'sha256-${createHash('sha256').update(content).digest('base64')}'`;
    });
  return { scripts: hashesOf('script'), styles: hashesOf('style') };
}

function copyOf(coding: string, path: string): Copy {
  const body = readFileSync(path);
  return { coding, body, etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"` };
}
