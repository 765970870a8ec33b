import express, { type RequestHandler } from 'express';
import typeIs from 'type-is';
import { jsonSentences } from '../../shared/errors.ts';
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
  const readBytes = express.raw({ limit: maxBodyBytes, type: () => true });
  return (request, response, next) => {
    const contentType = request.headers['content-type'] ?? '';
    if (!typeIs.is(contentType, ['json', '+json'])) return next(invalidJson(jsonSentences.mediaType));
    if (otherCharset.test(contentType)) return next(invalidJson(jsonSentences.charset));
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
        return next(invalidJson());
      }
      next();
    });
  };
}

/** Translates an error of the body reader. A body that ends too soon cannot be parsed as JSON either. */
function translated(error: unknown, maxBodyBytes: number): unknown {
  if (!(error instanceof Error)) return error;
  const { status = 500, type, code } = error as Partial<Record<'status' | 'type' | 'code', unknown>>;
  if (status === 413) return tooLarge(maxBodyBytes);
  if (Number(status) >= 500) return error;
  if (type === 'encoding.unsupported') return invalidJson(jsonSentences.encoding);
  // Only the decompressors of zlib give their errors a code.
  return invalidJson(code === undefined ? undefined : jsonSentences.inflation);
}

function invalidJson(sentence?: string): AppError {
  return new AppError('INVALID_JSON', sentence === undefined ? {} : { sentence });
}

function tooLarge(maxBodyBytes: number): HttpError {
  return new HttpError(413, `The request body is over ${maxBodyBytes} bytes.`);
}
