type Sink = {
  /** The status line and the header lines. */
  onHead(head: string): void;
  /** One chunk of the body, as the server framed it. */
  onChunk(bytes: Buffer): void;
  onEnd(): void;
};

/**
 * Reads one HTTP/1.1 response off a connection and keeps the boundaries of its chunks, which an HTTP client does not show.
 * It throws where the response is not chunked or its framing is broken.
 */
export function createResponseReader({ onHead, onChunk, onEnd }: Sink) {
  let part: 'head' | 'body' | 'end' = 'head';
  let unread: Buffer = Buffer.alloc(0);

  /** Takes what is whole from `unread` at `from`; gives where the rest begins, or -1 where nothing is whole. */
  function take(from: number): number {
    if (part === 'head') {
      const end = unread.indexOf('\r\n\r\n', from);
      if (end === -1) return -1;
      const head = unread.toString('latin1', from, end);
      onHead(head);
      if (!/^transfer-encoding: chunked\r?$/im.test(head)) throw new Error('The body is not chunked.');
      part = 'body';
      return end + 4;
    }
    if (part === 'end') throw new Error('Something follows the end.');
    const line = unread.indexOf('\r\n', from);
    if (line === -1) return -1;
    const size = Number.parseInt(unread.toString('latin1', from, line), 16);
    if (Number.isNaN(size)) throw new Error('A chunk has no size.');
    const end = line + 2 + size;
    if (unread.length < end + 2) return -1;
    if (unread[end] !== 13 || unread[end + 1] !== 10) throw new Error('A chunk is longer than its size.');
    if (size > 0) onChunk(unread.subarray(line + 2, end));
    else {
      part = 'end';
      onEnd();
    }
    return end + 2;
  }

  return {
    read(bytes: Buffer): void {
      unread = unread.length === 0 ? bytes : Buffer.concat([unread, bytes]);
      let at = 0;
      while (at < unread.length) {
        const next = take(at);
        if (next === -1) break;
        at = next;
      }
      unread = unread.subarray(at);
    },
  };
}
