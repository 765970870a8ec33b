/** What the page sends to the frame of a diagram. The first message of each channel is `draw`. */
export type DiagramRequest = { type: 'draw'; source: string; theme: string; textSize: string } | { type: 'picture' };

/**
 * What the frame sends back. `parsed` precedes the first `drawn`, which is sent again whenever the height in CSS pixels changes.
 */
export type DiagramReply =
  | { type: 'parsed' }
  | { type: 'drawn'; height: number }
  | { type: 'failed' }
  | { type: 'picture'; png: Blob | null };
