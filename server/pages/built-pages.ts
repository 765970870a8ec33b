import express, { type RequestHandler, Router } from 'express';
import { pages } from '../../shared/interface.ts';

/**
 * The built client in `directory`. Its page is served with 200 at the addresses it has routes for, and nowhere else: a
 * catch-all would answer missing assets and unknown interface paths with HTML.
 */
export function createBuiltPages(directory: string): RequestHandler {
  const router = Router({ caseSensitive: true, strict: true });
  router.get(Object.values(pages), (_request, response) => {
    response.sendFile('index.html', { root: directory, headers: { 'Cache-Control': 'no-cache' } });
  });
  // Their names carry a hash of their contents.
  router.use('/assets', express.static(`${directory}/assets`, { immutable: true, maxAge: '1y', ...filesOnly }));
  router.use(express.static(directory, filesOnly));
  router.get(mistypedPage, forNavigation, (_request, response) => {
    response.status(404).sendFile('index.html', { root: directory, cacheControl: false });
  });
  return router;
}

/** One plain word, as the pages' own addresses are: nothing of the interface or of the assets looks like it. */
export const mistypedPage = /^\/[\w-]+$/;

/** What a person opens in a browser, and neither what a page loads nor what a program asks for, whatever it accepts. */
export const forNavigation: RequestHandler = (request, _response, next) => {
  next(request.get('Sec-Fetch-Dest') === 'document' ? undefined : 'route');
};

const filesOnly = { index: false, redirect: false } as const;
