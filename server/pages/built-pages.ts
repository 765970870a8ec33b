import express, { type RequestHandler, Router } from 'express';
import { pages } from '../../shared/interface.ts';

/**
 * The built client in `directory`. Its page is served at the addresses it has routes for, and nowhere else: a catch-all
 * would answer missing assets and unknown interface paths with HTML.
 */
export function createBuiltPages(directory: string): RequestHandler {
  const router = Router({ caseSensitive: true, strict: true });
  router.get(Object.values(pages), (_request, response) => {
    response.sendFile('index.html', { root: directory, headers: { 'Cache-Control': 'no-cache' } });
  });
  // Their names carry a hash of their contents.
  router.use('/assets', express.static(`${directory}/assets`, { immutable: true, maxAge: '1y', ...filesOnly }));
  router.use(express.static(directory, filesOnly));
  return router;
}

const filesOnly = { index: false, redirect: false } as const;
