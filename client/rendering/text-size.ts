/** About three windows of prose: as much as can be rendered at once without blocking the page. */
export const sliceCharacters = 6000;

/**
 * The weight of characters that start or end an element (a line, a cell, a formula, a link), in characters of prose that take as
 * long to render. Measured in Chromium, and rounded.
 */
const weights: Readonly<Record<string, number>> = {
  ...{ '\n': 8, '\r': 8, '|': 10, $: 12, '\\': 8, ':': 15, '<': 12, '`': 4, '-': 5, '–': 5, '*': 2 },
};

/** Returns the end of the slice of `text` from `start` on that takes as long to render as `sliceCharacters` of prose. */
export function sliceEnd(text: string, start: number): number {
  let weight = 0;
  let end = start;
  while (end < text.length && weight < sliceCharacters) {
    weight += weights[text.charAt(end)] ?? 1;
    end += 1;
  }
  return end;
}

/** Estimates how many characters of prose take as long to render as `text`, which is rendered in slices. */
export function textWeight(text: string): number {
  const end = sliceEnd(text, 0);
  if (end < text.length) return text.length + sliceCharacters;
  return Array.from(text).reduce((sum, character) => sum + (weights[character] ?? 1), 0);
}

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
