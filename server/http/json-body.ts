import type { Transform } from 'node:stream';
import { createGunzip, createInflate } from 'node:zlib';
import type { Request, RequestHandler, Response } from 'express';
import { bodySentences, bodyShareBytes, maxDecompressedBytes } from '../../shared/body-limits.ts';
import { jsonSentences } from '../../shared/errors.ts';
import { contentTypeError } from '../../shared/json-body.ts';
import { AppError, type CapacityLimit, capacityError, HttpError } from '../app-error.ts';
import { clientAddress } from './client-address.ts';
import type { ContextResponse } from './request-context.ts';

const productionMemory = {
  /** The memory for all bodies that are being received, after decompression. */
  memoryBytes: 256 * 1024 * 1024,
  /** The maximum for demo chat, so that visitors cannot use up the memory of live chat. */
  demoBytes: 128 * 1024 * 1024,
  /** The maximum for one user, and for one address, so that a few clients cannot use up the memory of all others. */
  shareBytes: bodyShareBytes,
};

const productionBounds = {
  ...productionMemory,
  /**
   * At least `minBytes` of a body must arrive in each `rateIntervalMilliseconds`, and a compressed body must also decompress
   * to `minBytes` more. Otherwise, blocks that decompress to nothing could keep the memory of a body occupied.
   */
  minBytes: 10 * 1024,
  rateIntervalMilliseconds: 10_000,
};

export type BodyBounds = Partial<typeof productionBounds>;

export type BodyReader = ReturnType<typeof createBodyReader>;

/** The handlers of a route that reads bodies, in this order. Other checks can stand between them. */
type BodyHandlers = { admit: RequestHandler; parseJson: RequestHandler };

const smallestBufferBytes = 4096;
const emptyBuffer = Buffer.alloc(0);

const utf8 = new TextDecoder();

/** Both formats have a window of 32 KiB. A few bytes of Brotli or Zstandard could reserve 16 MiB and more. */
const decompressors = new Map<string, () => Transform>([
  ['gzip', createGunzip],
  ['deflate', createInflate],
]);

/**
 * Reads request bodies and limits the memory that they use until they are parsed. Only buffers for received bytes count, so a
 * client cannot use up the memory by declaring a length.
 */
export function createBodyReader(bounds: BodyBounds = {}) {
  const { minBytes, rateIntervalMilliseconds, ...memoryBounds } = { ...productionBounds, ...bounds };
  const memory = createBodyMemory(memoryBounds);

  /** Resolves with the decompressed body. After a rejection, the rest of the body is discarded as it arrives. */
  function read(
    request: Request,
    response: Response,
    { maxBodyBytes, isDemo, decompressor }: RouteBounds & { decompressor: Transform | undefined },
  ): Promise<Buffer> {
    const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
    const source = decompressor ?? request;
    const allocation = memory.allocationOf(request, response, { isDemo });
    // Chunks are copied into one buffer, because each would use several hundred bytes, even for a single byte of the body.
    let buffer = emptyBuffer;
    let length = 0;
    let receivedBytes = 0;
    let previous = { receivedBytes, length };

    function onReceived(chunk: Buffer): void {
      receivedBytes += chunk.length;
      // An endless compressed body can decompress to nothing.
      if (receivedBytes > maxBodyBytes) fail(tooLargeError(maxBodyBytes));
    }

    function onData(chunk: Buffer): void {
      const newLength = length + chunk.length;
      if (newLength > maxBodyBytes) return void fail(tooLargeError(maxBodyBytes));
      if (newLength > maxDecompressedBytes(receivedBytes)) return void fail(tooCompressedError());
      if (newLength > buffer.length) {
        const newBytes = Math.min(maxBodyBytes, Math.max(smallestBufferBytes, 2 * buffer.length, newLength));
        const exceeded = allocation.exceededBy(newBytes);
        if (exceeded !== undefined) return void fail(memoryFullError(response, exceeded));
        const larger = Buffer.allocUnsafeSlow(newBytes);
        buffer.copy(larger, 0, 0, length);
        allocation.resize(newBytes);
        buffer = larger;
      }
      length += chunk.copy(buffer, length);
    }

    function onRateCheck(): void {
      const addedBytes = Math.min(receivedBytes - previous.receivedBytes, length - previous.length);
      if (addedBytes < minBytes) fail(tooSlowError(response));
      previous = { receivedBytes, length };
    }

    function onDecompressorError(): void {
      fail(jsonError(jsonSentences.inflation));
    }

    function onClose(): void {
      if (!request.complete) fail(jsonError());
    }

    function stop(): void {
      clearInterval(rateTimer);
      request.off('data', onReceived).off('close', onClose);
      source.off('data', onData).off('end', onEnd);
      allocation.resize(0);
      buffer = emptyBuffer;
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

    const rateTimer = setInterval(onRateCheck, rateIntervalMilliseconds);
    request.on('close', onClose).on('data', onReceived);
    source.on('data', onData).on('end', onEnd);
    if (decompressor !== undefined) {
      decompressor.on('error', onDecompressorError);
      request.pipe(decompressor);
    }
    // The client disconnected before the body was read.
    if (!request.readable) fail(jsonError());
    return promise;
  }

  return {
    /** Returns the handlers for a route whose bodies have at most `maxBodyBytes`, before and after decompression. */
    handlersFor(maxBodyBytes: number, { isDemo = false } = {}): BodyHandlers {
      return {
        /** Refuses a body that would not fit into the memory. Must run before the request counts against a limit. */
        admit(request, response, next) {
          const expectedBytes = Math.min(
            maxBodyBytes,
            Number(request.headers['content-length'] ?? smallestBufferBytes),
          );
          const exceeded = memory.allocationOf(request, response, { isDemo }).exceededBy(expectedBytes);
          if (exceeded !== undefined) throw memoryFullError(response, exceeded);
          next();
        },

        /**
         * Parses the body as JSON of any kind into `request.body`. Fails with `INVALID_JSON`, with 413 if the body is too
         * large or expands too much, with 408 if it is too slow, or with `UPSTREAM_OVERLOADED` if the memory for bodies is used
         * up. Media types other than JSON are rejected, which also excludes forms that another site can post; so are charsets
         * other than UTF-8.
         */
        async parseJson(request, response, next) {
          const { 'content-type': contentType, 'content-encoding': sentEncoding = 'identity' } = request.headers;
          const contentError = contentTypeError(contentType);
          if (contentError !== undefined) throw jsonError(contentError);
          const encoding = sentEncoding.toLowerCase();
          const createDecompressor = decompressors.get(encoding);
          if (createDecompressor === undefined && encoding !== 'identity') throw jsonError(jsonSentences.encoding);
          if (Number(request.headers['content-length']) > maxBodyBytes) throw tooLargeError(maxBodyBytes);
          const decompressor = createDecompressor?.();
          request.body = parse(await read(request, response, { maxBodyBytes, isDemo, decompressor }));
          next();
        },
      };
    },

    get usedBytes(): number {
      return memory.usedBytes;
    },
  };
}

type RouteBounds = { maxBodyBytes: number; isDemo: boolean };

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(utf8.decode(bytes));
  } catch {
    // The parser's error quotes the body, so it is not passed on as the cause.
    throw jsonError();
  }
}

function jsonError(sentence?: string): AppError {
  return new AppError('INVALID_JSON', sentence === undefined ? {} : { sentence });
}

function tooLargeError(maxBodyBytes: number): HttpError {
  return new HttpError(413, bodySentences.tooLarge(maxBodyBytes));
}

function tooCompressedError(): HttpError {
  return new HttpError(413, bodySentences.tooCompressed);
}

function memoryFullError(response: Response, limit: CapacityLimit): AppError {
  closeConnection(response);
  return capacityError(limit);
}

function tooSlowError(response: Response): HttpError {
  closeConnection(response);
  return new HttpError(408, 'The request took too long to arrive.');
}

/** The rest of the body would still use bandwidth and the connection. */
function closeConnection(response: Response): void {
  if (!response.headersSent) response.set('Connection', 'close');
}

type MemoryShare = { key: string; limit: CapacityLimit; maxBytes: number };

/** Limits the memory for bodies that are being received, in total and for each user and address. */
function createBodyMemory({ memoryBytes, demoBytes, shareBytes }: typeof productionMemory) {
  const usedBytes = new Map<string, number>();
  const total: MemoryShare = { key: 'total', limit: 'bodies', maxBytes: memoryBytes };
  const ofDemo: MemoryShare = { key: 'demo', limit: 'bodies-demo', maxBytes: demoBytes };
  const usedBy = ({ key }: MemoryShare) => usedBytes.get(key) ?? 0;

  return {
    /** Starts at 0 bytes. Checks the narrowest limit first, because its name helps an operator most. */
    allocationOf(request: Request, { locals }: ContextResponse, { isDemo }: { isDemo: boolean }) {
      const { user } = locals.context;
      const shares: MemoryShare[] = [
        { key: `address ${clientAddress(request)}`, limit: 'bodies-address', maxBytes: shareBytes },
        ...(user ? [{ key: `user ${user.id}`, limit: 'bodies-user', maxBytes: shareBytes } as const] : []),
        ...(isDemo ? [ofDemo] : []),
        total,
      ];
      let allocatedBytes = 0;

      return {
        /** Returns the limit that resizing to `bytes` would exceed. */
        exceededBy(bytes: number): CapacityLimit | undefined {
          const addedBytes = bytes - allocatedBytes;
          return shares.find((share) => usedBy(share) + addedBytes > share.maxBytes)?.limit;
        },

        resize(bytes: number): void {
          for (const share of shares) {
            const used = usedBy(share) + bytes - allocatedBytes;
            if (used > 0) usedBytes.set(share.key, used);
            else usedBytes.delete(share.key);
          }
          allocatedBytes = bytes;
        },
      };
    },

    get usedBytes(): number {
      return usedBy(total);
    },
  };
}
