/** A message of the page to the frame of a diagram. The first message of each channel is `draw`. */
export type DiagramRequest = { type: 'draw'; source: string; theme: string } | { type: 'picture' };

/** A message of the frame to the page. `drawn` is sent again whenever the height in CSS pixels changes. */
export type DiagramReply =
  | { type: 'drawn'; height: number }
  | { type: 'failed' }
  | { type: 'picture'; png: Blob | null };
