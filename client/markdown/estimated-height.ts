const lineHeightPixels = 26;
const characterPixels = 9;
const maxCharactersOfLine = 85;

/**
 * About how many pixels high `text` stands on the page. A cheap estimate is enough, and rather one that is too low: what follows is
 * pushed down then, and nobody is left above empty room.
 */
export function estimatedHeight(text: string): number {
  let lines = text.length / Math.min(maxCharactersOfLine, window.innerWidth / characterPixels);
  for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', end + 1)) lines += 0.6;
  return Math.ceil(lines + 1) * lineHeightPixels;
}
