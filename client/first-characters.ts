const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** Returns the first `count` characters as a reader counts them: a flag, an emoji or a Devanagari syllable is one, and is never cut. */
export function firstCharacters(text: string, count: number): string {
  let remaining = count;
  for (const { index } of segmenter.segment(text)) {
    if (remaining === 0) return text.slice(0, index);
    remaining -= 1;
  }
  return text;
}
