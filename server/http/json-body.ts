import express, { type RequestHandler } from 'express';
import typeIs from 'type-is';
import { jsonSentences } from '../../shared/errors.ts';
import { AppError, HttpError } from '../app-error.ts';

const utf8 = new TextDecoder();

/** JSON is UTF-8. Decoding some other charsets takes a hundred times as long as parsing the text. */
const otherCharset = /;\s*charset\s*=(?!\s*"?utf-?8"?\s*(?:;|$))/i;

/**
 * Parses the body as JSON of any kind into `request.body`. `maxBodyBytes` applies before and after decompression. Fails
 * with `INVALID_JSON`, or with 413 if the body is too large. Media types other than JSON are rejected, which also
 * excludes forms that another site can post; so are charsets other than UTF-8.
 */
export function jsonBody(maxBodyBytes: number): RequestHandler {
  const readBytes = express.raw({ limit: maxBodyBytes, type: () => true });
  return (request, response, next) => {
    const contentType = request.headers['content-type'] ?? '';
    if (!typeIs.is(contentType, ['json', '+json'])) return next(invalidJson(jsonSentences.mediaType));
    if (otherCharset.test(contentType)) return next(invalidJson(jsonSentences.charset));
    let receivedBytes = 0;
    const countBytes = (chunk: Buffer) => {
      const previousBytes = receivedBytes;
      receivedBytes += chunk.length;
      if (previousBytes > maxBodyBytes || receivedBytes <= maxBodyBytes) return;
      request.unpipe();
      next(tooLarge(maxBodyBytes));
    };
    // The reader limits decompressed bytes only, and an endless compressed body can decompress to nothing.
    if (request.headers['content-encoding'] !== undefined) request.on('data', countBytes);

    readBytes(request, response, (error?: unknown) => {
      if (receivedBytes > maxBodyBytes) return;
      request.off('data', countBytes);
      if (error !== undefined) return next(translateReaderError(error, maxBodyBytes));
      try {
        request.body = JSON.parse(utf8.decode(request.body));
      } catch {
        // The parser's error quotes the body, so it is not passed on as the cause.
        return next(invalidJson());
      }
      next();
    });
  };
}

/** Translates an error of the body reader. An incomplete body is reported as invalid JSON. */
function translateReaderError(error: unknown, maxBodyBytes: number): unknown {
  if (!(error instanceof Error)) return error;
  const { status = 500, type, code } = error as Partial<Record<'status' | 'type' | 'code', unknown>>;
  if (status === 413) return tooLarge(maxBodyBytes);
  if (Number(status) >= 500) return error;
  if (type === 'encoding.unsupported') return invalidJson(jsonSentences.encoding);
  // An error with a code comes from a decompressor of zlib, because no other error of the reader has one.
  return invalidJson(code === undefined ? undefined : jsonSentences.inflation);
}

function invalidJson(sentence?: string): AppError {
  return new AppError('INVALID_JSON', sentence === undefined ? {} : { sentence });
}

function tooLarge(maxBodyBytes: number): HttpError {
  return new HttpError(413, `The request body is larger than ${maxBodyBytes} bytes.`);
}
