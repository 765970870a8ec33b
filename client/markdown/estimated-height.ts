const lineHeightPixels = 26;
const characterPixels = 9;
const maxCharactersPerLine = 85;

/**
 * Estimates the height of `text` on the page in pixels, rather too low than too high: content that turns out taller pushes down
 * what follows, and content that turns out shorter leaves the reader above empty space.
 */
export function estimatedHeight(text: string): number {
  let lines = text.length / Math.min(maxCharactersPerLine, window.innerWidth / characterPixels);
  for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', end + 1)) lines += 0.6;
  return Math.ceil(lines + 1) * lineHeightPixels;
}
