const kibibyte = 1024;

/** The maximum sizes of the chat routes' bodies in bytes. */
export const bodyLimits = { liveChat: 1024 * kibibyte, demoChat: 256 * kibibyte } as const;

/** The memory for the bodies of one user or one address that one process is receiving. No body can be larger. */
export const bodyShareBytes = 16 * 1024 * kibibyte;

const maxExpansion = 20;
const freeExpansionBytes = 64 * kibibyte;

/**
 * Returns how many bytes `receivedBytes` of a compressed body may become. Without this limit, a client could occupy memory, and
 * fill the database, at a thousandth of the cost. JSON of a conversation shrinks to a third or a quarter.
 */
export function maxDecompressedBytes(receivedBytes: number): number {
  return Math.max(freeExpansionBytes, maxExpansion * receivedBytes);
}

/** The sentences of 413 for a body. */
export const bodySentences = {
  tooLarge: (maxBytes: number) => `The request body is larger than ${maxBytes} bytes.`,
  tooCompressed: `The request body decompresses to more than ${maxExpansion} times its size.`,
} as const;
