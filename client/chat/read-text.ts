/**
 * Yields the text of a UTF-8 body as it arrives. A character whose bytes are split over chunks is held until it is
 * whole. Throws what the body throws when the connection is cut or the request aborted.
 */
export async function* readText(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const reader = body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    const text = decoder.decode(value, { stream: !done });
    if (text !== '') yield text;
    if (done) return;
  }
}
