/** A message of the page to the frame of a diagram. The first message of each channel, after `ready`, is `draw`. */
export type PageMessage = { type: 'draw'; source: string; theme: string } | { type: 'picture' };

/**
 * A message of the frame to the page. `working` is sent every second until the first drawing is finished, for example while its code
 * is loaded. `drawn` is sent after each drawing, and whenever the size changes on screen: the height, and the least width at which text
 * is readable, in CSS pixels.
 */
export type FrameMessage =
  | { type: 'ready' }
  | { type: 'working' }
  | { type: 'drawn'; height: number; leastWidth: number }
  | { type: 'failed' }
  | { type: 'picture'; png: Blob | null };
