import express, { type Request, type RequestHandler } from 'express';
import typeIs from 'type-is';
import { AppError, HttpError } from '../app-error.ts';

const utf8 = new TextDecoder();

/** JSON is UTF-8. Some other charsets take a hundred times as long to decode as the text takes to parse. */
const otherCharset = /;\s*charset\s*=(?!\s*"?utf-?8"?\s*(?:;|$))/i;

/**
 * Parses the body as JSON of any kind into `request.body`; `maxBodyBytes` counts before inflating and after it.
 * Passes `INVALID_JSON` on, or 413 where the body is larger. A type that is not JSON's is refused too, which also keeps
 * out what a form on another site can post; so is another charset than UTF-8.
 */
export function jsonBody(maxBodyBytes: number): RequestHandler {
  const readBytes = express.raw({
    limit: maxBodyBytes,
    type: (request) =>
      Boolean(typeIs(request, ['json', '+json'])) && !otherCharset.test(request.headers['content-type'] ?? ''),
  });
  return (request, response, next) => {
    let sentBytes = 0;
    const count = (piece: Buffer) => {
      const before = sentBytes;
      sentBytes += piece.length;
      if (before > maxBodyBytes || sentBytes <= maxBodyBytes) return;
      request.unpipe();
      next(tooLarge(maxBodyBytes));
    };
    // The reader counts inflated bytes. A compressed body may inflate to nothing, and so never end.
    if (request.headers['content-encoding'] !== undefined) request.on('data', count);

    readBytes(request, response, (error?: unknown) => {
      if (sentBytes > maxBodyBytes) return;
      request.off('data', count);
      if (error !== undefined) return next(translated(error, maxBodyBytes));
      try {
        request.body = JSON.parse(utf8.decode(request.body));
      } catch {
        // Not as the cause: it would quote the body in the log.
        return next(new AppError('INVALID_JSON'));
      }
      next();
    });
  };
}

/** The parsed body, which the request then lets go of: a long conversation would stay in memory as long as its reply comes. */
export function takeBody(request: Request): unknown {
  const { body } = request;
  request.body = undefined;
  return body;
}

/** What else the reader refuses (an encoding, an end too soon) cannot be parsed as JSON either. */
function translated(error: unknown, maxBodyBytes: number): unknown {
  const status = error instanceof Error && 'status' in error ? Number(error.status) : 500;
  if (status === 413) return tooLarge(maxBodyBytes);
  return status < 500 ? new AppError('INVALID_JSON') : error;
}

function tooLarge(maxBodyBytes: number): HttpError {
  return new HttpError(413, `The request body is over ${maxBodyBytes} bytes.`);
}
