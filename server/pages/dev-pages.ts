import { readFile } from 'node:fs/promises';
import type { Server } from 'node:http';
import { join } from 'node:path';
import { type RequestHandler, Router } from 'express';
import { conversationPage, diagramPage, pages } from '../../shared/interface.ts';
import { diagramHeaders } from '../http/security-headers.ts';
import { mistypedPathPattern, skipUnlessNavigation } from './built-pages.ts';

/** Serves the client from its sources with hot reload on the server's own port. */
export async function createDevPages(
  root: string,
  server: Server,
  publicUrl?: string,
): Promise<{ handler: RequestHandler; close(): Promise<void> }> {
  const { createServer, defaultAllowedOrigins } = await import('vite');
  const vite = await createServer({
    root: join(root, 'client'),
    configFile: join(root, 'vite.config.ts'),
    // The frame of a diagram has the origin `null`.
    server: { middlewareMode: true, hmr: { server }, cors: { origin: [defaultAllowedOrigins, 'null'] } },
    appType: 'custom',
    // Other config loaders write a temporary file, which would restart the watched server.
    configLoader: 'native',
  });
  const router = Router({ caseSensitive: true, strict: true });
  router.use(vite.middlewares);
  const sendFile =
    (file: string): RequestHandler =>
    async (request, response) => {
      const source = await readFile(join(vite.config.root, file), 'utf8');
      // Links in the file are relative to the file, but the page has another path.
      const page = source.replaceAll('="./', `="${file.slice(0, file.lastIndexOf('/') + 1)}`);
      response.type('html').send(await vite.transformIndexHtml(file, page, request.originalUrl));
    };
  const sendPage = sendFile('/index.html');
  router.get(diagramPage.path, diagramHeaders({ development: true, publicUrl }), sendFile('/diagram/diagram.html'));
  router.get([...Object.values(pages), conversationPage.pattern], sendPage);
  router.get(mistypedPathPattern, skipUnlessNavigation, (request, response, next) => {
    response.status(404);
    return sendPage(request, response, next);
  });
  return { handler: router, close: () => vite.close() };
}
