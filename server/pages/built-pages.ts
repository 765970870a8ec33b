import { type RequestHandler, Router } from 'express';
import { conversationPage, pages } from '../../shared/interface.ts';
import { askedFor, builtFiles } from './built-files.ts';

/**
 * The built client in `directory`. Its page is served with 200 at the addresses it has routes for, and nowhere else: a
 * catch-all would answer missing assets and unknown interface paths with HTML.
 */
export function createBuiltPages(directory: string): RequestHandler {
  const router = Router({ caseSensitive: true, strict: true });
  const page = (headers: Record<string, string>) =>
    askedFor(
      () => '/index.html',
      builtFiles(directory, {
        ...filesOnly,
        cacheControl: false,
        setHeaders: (response) => void response.set(headers),
      }),
    );
  router.get([...Object.values(pages), conversationPage.addresses], page({ 'Cache-Control': 'no-cache' }));
  // Their names carry a hash of their contents.
  router.use('/assets', builtFiles(`${directory}/assets`, { immutable: true, maxAge: '1y', ...filesOnly }));
  router.use(builtFiles(directory, filesOnly));
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

const filesOnly = { index: false, redirect: false } as const;
