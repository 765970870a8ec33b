const lineHeightPixels = 26;
const charactersOfLine = 85;

/** About how many pixels high `text` stands on the page. A cheap estimate is enough. */
export function estimatedHeight(text: string): number {
  let lines = text.length / charactersOfLine;
  for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', end + 1)) lines += 0.6;
  return Math.ceil(lines + 1) * lineHeightPixels;
}
