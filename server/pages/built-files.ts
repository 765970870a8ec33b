import { extname } from 'node:path';
import express, { type ErrorRequestHandler, type RequestHandler, Router } from 'express';

type Options = NonNullable<Parameters<typeof express.static>[1]>;

/** The compressed copies that the build leaves beside a file. The smallest comes first. */
const copies = [
  { coding: 'br', ending: '.br' },
  { coding: 'gzip', ending: '.gz' },
] as const;

/**
 * Serves the files in `directory`, `options` as `express.static` has them. Who takes a compressed copy gets one, where there
 * is one. Nothing is compressed when it is asked for.
 */
export function builtFiles(directory: string, options: Options = {}): RequestHandler {
  const router = Router();
  for (const { coding, ending } of copies) {
    const serveCopy = express.static(directory, {
      ...options,
      setHeaders(response, path, stat) {
        options.setHeaders?.(response, path, stat);
        response.type(extname(path.slice(0, -ending.length)));
        response.set('Content-Encoding', coding).vary('Accept-Encoding');
      },
    });
    const copyInstead = askedFor((url) => url.replace(/(?=\?|$)/, ending), serveCopy);
    router.use((request, response, next) => {
      if (request.acceptsEncodings(coding)) copyInstead(request, response, next);
      else next();
    });
  }
  router.use(
    express.static(directory, {
      ...options,
      setHeaders(response, path, stat) {
        options.setHeaders?.(response, path, stat);
        response.vary('Accept-Encoding');
      },
    }),
  );
  router.use(withoutHeadersOfTheFile);
  return router;
}

/** Lets `handler` answer as if another address had been asked for. What comes after it sees the request's own again. */
export function askedFor(address: (url: string) => string, handler: RequestHandler): RequestHandler {
  return (request, response, next) => {
    const { url } = request;
    request.url = address(url);
    handler(request, response, (error?: unknown) => {
      request.url = url;
      next(error);
    });
  };
}

/** A refusal, of a precondition for example, is sent in place of the file: it is not compressed, and not to be kept. */
const withoutHeadersOfTheFile: ErrorRequestHandler = (error, _request, response, next) => {
  if (!response.headersSent) {
    for (const name of ['Content-Encoding', 'Cache-Control', 'ETag', 'Last-Modified']) response.removeHeader(name);
  }
  next(error);
};
