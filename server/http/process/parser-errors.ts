import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import { headers } from '../../../shared/interface.ts';
import { boundedIds, type RequestIds } from '../requests/request-id.ts';

const answers: Record<string, { status: string; sentence: string }> = {
  ERR_HTTP_REQUEST_TIMEOUT: { status: '408 Request Timeout', sentence: 'The request took too long to arrive.' },
  HPE_HEADER_OVERFLOW: {
    status: '431 Request Header Fields Too Large',
    sentence: 'The request headers are too large.',
  },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { status: '413 Payload Too Large', sentence: 'The request body is too large.' },
};
const malformed = { status: '400 Bad Request', sentence: 'The request is not valid HTTP.' };

/** Answers, in raw HTTP, what never became a whole request: the framework cannot. */
export function answerParserError(
  error: NodeJS.ErrnoException,
  socket: Duplex,
  { ids, logger }: { ids: RequestIds; logger: Logger },
): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const { status, sentence } = answers[error.code ?? ''] ?? malformed;
  const body = `${sentence}\n`;
  socket.end(
    [
      `HTTP/1.1 ${status}`,
      `${headers.requestId}: ${ids.requestId}`,
      'Content-Type: text/plain; charset=utf-8',
      'X-Content-Type-Options: nosniff',
      "Content-Security-Policy: default-src 'none'; frame-ancestors 'none'",
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
    // As Node reads and writes headers, so that an id that was sent goes back as the same bytes.
    'latin1',
  );
  logger.info(
    { ...boundedIds(ids), status: Number.parseInt(status, 10), reason: error.code },
    'request not understood',
  );
}
