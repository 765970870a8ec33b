import type { StreamedResponse } from '../../server/model/streamed-response.ts';

/** The packets of a stream of the web's, one after the other. */
export function packetsOf(body: ReadableStream<Uint8Array>): StreamedResponse['packets'] {
  return async (take) => {
    const reader = body.getReader();
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      const { buffer, byteOffset, byteLength } = next.value;
      const taken = take(Buffer.from(buffer, byteOffset, byteLength));
      if (taken !== undefined) await taken;
    }
  };
}
