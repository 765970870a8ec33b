/**
 * The same text as a string of its own. A part of a string holds all of it: what is kept of a reply that grows would hold the
 * whole reply, once more for each part.
 */
export function ownText(part: string): string {
  return ` ${part}`.slice(1);
}
