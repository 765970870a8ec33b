/** A name that somebody else gave to something, or null where it does not look like one: a sentence, say. */
export function nameOrNull(text: string | null): string | null {
  return text !== null && /^[\w.:@/+-]{1,128}$/.test(text) ? text : null;
}

/** A text that was sent, as it may stand in a log line: its first `most` characters, without controls of a terminal. */
export function boundedText(text: string, most: number): string {
  // JSON escapes those below U+0020, and no others.
  return text.slice(0, most).replace(/[\u007f-\u009f]/g, '\ufffd');
}
