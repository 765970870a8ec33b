import type { IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { gunzip, inflate } from 'node:zlib';
import { bodyLimits, bodySentences, maxDecompressedBytes } from '../../shared/body-limits.ts';
import { type Refusal, readDemoRequest, readLiveRequest } from '../../shared/chat-requests.ts';
import { type ErrorCode, errors, formatError, jsonSentences } from '../../shared/errors.ts';
import { routes } from '../../shared/interface.ts';
import { contentTypeError } from '../../shared/json-body.ts';

export type ReceivedRequest = {
  method: string;
  /** The path with its query. */
  path: string;
  /** The media type of `Content-Type`, in lower case and without parameters. */
  mediaType: string | undefined;
  cookie: string | undefined;
  requestId: string | undefined;
  /** The parsed JSON, the text of a body that is not JSON, or undefined for an empty body. */
  body: unknown;
};

type Rejection = { status: number; body: string; headers?: Record<string, string> };

const invalidJson = (sentence?: string): Rejection => ({
  status: 400,
  body: formatError('INVALID_JSON', undefined, sentence),
});

const decompressors: Readonly<Record<string, ((bytes: Buffer) => Promise<Buffer>) | undefined>> = {
  gzip: promisify(gunzip),
  deflate: promisify(inflate),
};

/** `rejection` is the response of the service if it rejects the request before it calls the model. */
export async function receiveRequest(
  request: IncomingMessage,
): Promise<{ received: ReceivedRequest; rejection: Rejection | undefined }> {
  const { method = '', url: path = '', headers } = request;
  const bytes = await buffer(request);
  const [mediaType = ''] = (headers['content-type'] ?? '').toLowerCase().split(';');
  const [pathname = ''] = path.split('?');
  const isDemo = pathname === routes.demoChat;
  const { body, rejection } = await parseBody(bytes, headers, isDemo ? bodyLimits.demoChat : bodyLimits.liveChat);
  const { refusal } = isDemo ? checkDemoMessages(body) : readLiveRequest(body);
  return {
    received: {
      method,
      path,
      mediaType: mediaType.trim() || undefined,
      cookie: headers.cookie,
      requestId: headers['x-request-id']?.toString(),
      body,
    },
    rejection: rejectRoute(method, pathname) ?? rejection ?? (refusal && rejectMessages(refusal, isDemo)),
  };
}

/** Demo chat leaves the role of the last message to the model provider, which refuses any other than `user`. */
function checkDemoMessages(body: unknown): { refusal?: Refusal } {
  const { messages, refusal } = readDemoRequest(body);
  if (refusal) return { refusal };
  return messages.at(-1)?.role === 'user' ? {} : { refusal: { code: 'UPSTREAM_BAD_REQUEST' } };
}

function rejectMessages(refusal: Refusal, isDemo: boolean): Rejection {
  if ('status' in refusal) return { status: refusal.status, body: `${refusal.sentence}\n` };
  const code: ErrorCode = isDemo && !errors[refusal.code].demo ? 'UPSTREAM_ERROR' : refusal.code;
  return { status: errors[code].status, body: formatError(code) };
}

function rejectRoute(method: string, pathname: string): Rejection | undefined {
  if (pathname !== routes.liveChat && pathname !== routes.demoChat) {
    return { status: 404, body: 'Not found.\n' };
  }
  if (method === 'POST') return undefined;
  return { status: 405, body: 'Method not allowed. Use POST.\n', headers: { Allow: 'POST' } };
}

async function parseBody(
  bytes: Buffer,
  headers: IncomingMessage['headers'],
  maxBytes: number,
): Promise<{ body: unknown; rejection?: Rejection }> {
  const encoding = headers['content-encoding']?.toLowerCase() ?? 'identity';
  const text = bytes.toString() || undefined;
  const tooLarge = { status: 413, body: `${bodySentences.tooLarge(maxBytes)}\n` };
  if (bytes.length > maxBytes) return { body: text, rejection: tooLarge };
  const contentError = contentTypeError(headers['content-type']);
  if (contentError !== undefined) return { body: text, rejection: invalidJson(contentError) };
  const decompress = encoding === 'identity' ? async () => bytes : decompressors[encoding];
  if (decompress === undefined) return { body: text, rejection: invalidJson(jsonSentences.encoding) };
  const decompressed = await decompress(bytes).catch(() => undefined);
  if (decompressed === undefined) return { body: text, rejection: invalidJson(jsonSentences.inflation) };
  const maxDecompressed = maxDecompressedBytes(bytes.length);
  if (decompressed.length > Math.min(maxBytes, maxDecompressed)) {
    const tooCompressed = { status: 413, body: `${bodySentences.tooCompressed}\n` };
    return { body: text, rejection: maxDecompressed < maxBytes ? tooCompressed : tooLarge };
  }
  try {
    return { body: JSON.parse(new TextDecoder().decode(decompressed)) };
  } catch {
    return { body: decompressed.toString() || undefined, rejection: invalidJson() };
  }
}
