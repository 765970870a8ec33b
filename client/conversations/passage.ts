import type { Passage } from './conversations.ts';

const charactersBefore = 40;
const charactersAfter = 80;

/** What stands around a match in `text`, on one line and cut between words, with `…` where something is left out. */
export function passageAround(text: string, { start, end }: { start: number; end: number }): Omit<Passage, 'turnId'> {
  const earlier = oneLine(text.slice(Math.max(0, start - 4 * charactersBefore), start));
  const later = oneLine(text.slice(end, end + 4 * charactersAfter));
  const before = earlier.length > charactersBefore ? endOf(earlier) : earlier;
  const after = later.length > charactersAfter ? beginningOf(later) : later;
  return { before: before.trimStart(), match: oneLine(text.slice(start, end)), after: after.trimEnd() };
}

/** The last words of the text. A word that is longer than that is cut. */
function endOf(text: string): string {
  const end = wellFormed(text.slice(-charactersBefore));
  const gap = end.indexOf(' ');
  return `…${gap === -1 || gap === end.length - 1 ? end : end.slice(gap + 1)}`;
}

/** The first words of the text. */
function beginningOf(text: string): string {
  const beginning = wellFormed(text.slice(0, charactersAfter));
  const gap = beginning.lastIndexOf(' ');
  return `${gap <= 0 ? beginning : beginning.slice(0, gap)}…`;
}

/** Without half a character at either end. */
function wellFormed(text: string): string {
  return text.replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, '');
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ');
}
