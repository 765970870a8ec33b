/** As much prose as can be read and drawn at once without blocking the page: three windows full, or so. */
export const partCharacters = 6000;

/**
 * How many characters of prose take as long to draw as one of these, which begin or end an element: a line, a cell, a formula,
 * a link. Measured in Chromium, and rounded.
 */
const weights: Readonly<Record<string, number>> = {
  ...{ '\n': 8, '\r': 8, '|': 10, $: 12, '\\': 8, ':': 15, '<': 12, '`': 4, '-': 5, '–': 5, '*': 2 },
};

/** Where a part of `text` ends that begins at `start` and takes as long to draw as `partCharacters` of prose. */
export function partEnd(text: string, start: number): number {
  let weight = 0;
  let end = start;
  while (end < text.length && weight < partCharacters) {
    weight += weights[text.charAt(end)] ?? 1;
    end += 1;
  }
  return end;
}

/** How many characters of prose take as long to draw as `text`, which is drawn in parts. */
export function textWeight(text: string): number {
  const end = partEnd(text, 0);
  if (end < text.length) return text.length + partCharacters;
  return Array.from(text).reduce((sum, character) => sum + (weights[character] ?? 1), 0);
}
