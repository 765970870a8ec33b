import type { IncomingMessage } from 'node:http';
import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import type { RequestHandler, Response } from 'express';
import typeIs from 'type-is';
import { capacitySentences, jsonSentences } from '../../shared/errors.ts';
import { AppError, HttpError } from '../app-error.ts';

export const productionBounds = {
  /** The memory for all bodies that are being received, after decompression. */
  memoryBytes: 256 * 1024 * 1024,
  /** At least `minBytes` of a body must arrive in each interval of `rateMilliseconds`: 1 KiB/s over 10 s. */
  minBytes: 10 * 1024,
  rateMilliseconds: 10_000,
};

export type BodyBounds = Partial<typeof productionBounds>;

export type BodyReader = ReturnType<typeof createBodyReader>;

const smallestBufferBytes = 4096;
const noBuffer = Buffer.alloc(0);

const utf8 = new TextDecoder();

/** JSON is UTF-8. Decoding some other charsets takes a hundred times as long as parsing the text. */
const otherCharset = /;\s*charset\s*=(?!\s*"?utf-?8"?\s*(?:;|$))/i;

const decompressors = new Map<string, () => Transform>([
  ['gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
  ['zstd', createZstdDecompress],
]);

/**
 * Reads request bodies and limits the memory that all of them use until they are parsed. Only buffers for received bytes count,
 * so a client cannot use up the memory by declaring a length.
 */
export function createBodyReader(bounds: BodyBounds = {}) {
  const { memoryBytes, minBytes, rateMilliseconds } = { ...productionBounds, ...bounds };
  let usedBytes = 0;

  /** Resolves with the decompressed body. After a rejection, the rest of the body is discarded as it arrives. */
  function read(
    request: IncomingMessage,
    response: Response,
    { maxBodyBytes, decompressor }: { maxBodyBytes: number; decompressor: Transform | undefined },
  ): Promise<Buffer> {
    const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
    const source = decompressor ?? request;
    // Chunks are copied into one buffer, because each would use several hundred bytes, even for a single byte of the body.
    let buffer = noBuffer;
    let length = 0;
    let sentBytes = 0;
    let previousSentBytes = 0;

    function onCompressed(chunk: Buffer): void {
      sentBytes += chunk.length;
      // An endless compressed body can decompress to nothing.
      if (sentBytes > maxBodyBytes) fail(tooLarge(maxBodyBytes));
    }

    function onData(chunk: Buffer): void {
      if (decompressor === undefined) sentBytes += chunk.length;
      if (length + chunk.length > maxBodyBytes) return void fail(tooLarge(maxBodyBytes));
      if (length + chunk.length > buffer.length) {
        const newBytes = Math.min(
          maxBodyBytes,
          Math.max(smallestBufferBytes, 2 * buffer.length, length + chunk.length),
        );
        if (usedBytes - buffer.length + newBytes > memoryBytes) return void fail(memoryFull(response));
        const larger = Buffer.allocUnsafeSlow(newBytes);
        buffer.copy(larger, 0, 0, length);
        usedBytes += newBytes - buffer.length;
        buffer = larger;
      }
      length += chunk.copy(buffer, length);
    }

    function onRateCheck(): void {
      if (sentBytes - previousSentBytes < minBytes) fail(tooSlow(response));
      previousSentBytes = sentBytes;
    }

    function onDecompressorError(): void {
      fail(invalidJson(jsonSentences.inflation));
    }

    function onClose(): void {
      if (!request.complete) fail(invalidJson());
    }

    function stop(): void {
      clearInterval(rateTimer);
      request.off('data', onCompressed).off('close', onClose);
      source.off('data', onData).off('end', onEnd);
      usedBytes -= buffer.length;
      buffer = noBuffer;
    }

    function onEnd(): void {
      const body = buffer.subarray(0, length);
      stop();
      resolve(body);
    }

    function fail(error: Error): void {
      stop();
      if (decompressor !== undefined) {
        request.unpipe(decompressor);
        decompressor.destroy();
      }
      request.resume();
      reject(error);
    }

    const rateTimer = setInterval(onRateCheck, rateMilliseconds);
    request.on('close', onClose);
    source.on('data', onData).on('end', onEnd);
    if (decompressor !== undefined) {
      decompressor.on('error', onDecompressorError);
      request.on('data', onCompressed).pipe(decompressor);
    }
    // The client has disconnected before the body was read.
    if (!request.readable) fail(invalidJson());
    return promise;
  }

  return {
    /** Returns the handlers for a route whose bodies have at most `maxBodyBytes`, before and after decompression. */
    upTo(maxBodyBytes: number): { admit: RequestHandler; parseJson: RequestHandler } {
      return {
        /** Refuses a body that would not fit into the memory. Must run before the request counts against a limit. */
        admit(request, response, next) {
          const expectedBytes = Math.min(maxBodyBytes, Number(request.headers['content-length'] ?? 0));
          if (usedBytes + expectedBytes > memoryBytes) throw memoryFull(response);
          next();
        },

        /**
         * Parses the body as JSON of any kind into `request.body`. Fails with `INVALID_JSON`, with 413 if the body is too
         * large, with 408 if it is too slow, or with `UPSTREAM_OVERLOADED` if the memory for bodies is used up. Media types
         * other than JSON are rejected, which also excludes forms that another site can post; so are charsets other than UTF-8.
         */
        async parseJson(request, response, next) {
          const { 'content-type': contentType = '', 'content-encoding': sentEncoding = 'identity' } = request.headers;
          if (!typeIs.is(contentType, ['json', '+json'])) throw invalidJson(jsonSentences.mediaType);
          if (otherCharset.test(contentType)) throw invalidJson(jsonSentences.charset);
          const encoding = sentEncoding.toLowerCase();
          const createDecompressor = decompressors.get(encoding);
          if (createDecompressor === undefined && encoding !== 'identity') throw invalidJson(jsonSentences.encoding);
          if (Number(request.headers['content-length']) > maxBodyBytes) throw tooLarge(maxBodyBytes);
          request.body = parse(await read(request, response, { maxBodyBytes, decompressor: createDecompressor?.() }));
          next();
        },
      };
    },
  };
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(utf8.decode(bytes));
  } catch {
    // The parser's error quotes the body, so it is not passed on as the cause.
    throw invalidJson();
  }
}

function invalidJson(sentence?: string): AppError {
  return new AppError('INVALID_JSON', sentence === undefined ? {} : { sentence });
}

function tooLarge(maxBodyBytes: number): HttpError {
  return new HttpError(413, `The request body is larger than ${maxBodyBytes} bytes.`);
}

function memoryFull(response: Response): AppError {
  closeConnection(response);
  return new AppError('UPSTREAM_OVERLOADED', { sentence: capacitySentences.bodies });
}

function tooSlow(response: Response): HttpError {
  closeConnection(response);
  return new HttpError(408, 'The request took too long to arrive.');
}

/** The rest of the body would still use bandwidth and the connection. */
function closeConnection(response: Response): void {
  if (!response.headersSent) response.set('Connection', 'close');
}
