/** Last lines of which nobody can say yet what they will be. */
const undecidedLines = [
  // a rule, a bullet, a heading, a table's row, the end of some code
  /^[\s>+*\-_=#|`~:]*$/,
  // a number that may become an item's
  /^[\s>]*\d+[.)]?$/,
  // in a numbered item, what may become a bullet or a bold word
  /^[\s>]*\d+[.)]\s+[-+*]$/,
  // a box that may become a task's
  /^[\s>]*(?:[-+*]|\d+[.)])\s+\[[ xX]?\]?\s*$/,
  // a footnote's label, which may become a note's
  /^[\s>]*\[\^[^\]\s]*\]?:?\s*$/,
  // a dollar, of which two begin a formula
  /^[\s>]*\$\$?$/,
  // a line break in HTML
  /^[\s>]*<(?:b|br[ \t]*\/?)?$/i,
  // a fence whose language may go on
  /^[\s>]*(?:(?:[-+*]|\d+[.)])\s+)*(?:```|~~~)/,
];

/**
 * A growing text without the end that would be shown as something else a moment later: raw marks that turn into a bullet
 * or a heading, a table's first line as plain text. What is held back appears with the characters that decide.
 */
export function holdBack(text: string): string {
  const lineStart = text.lastIndexOf('\n') + 1;
  const line = text.slice(lineStart);
  const decided = undecidedLines.some((undecided) => undecided.test(line)) ? text.slice(0, lineStart) : text;
  return withoutTableHead(decided);
}

function withoutTableHead(text: string): string {
  const lines = text.trimEnd().split('\n');
  const isRow = (line: string | undefined) => line !== undefined && /^[\s>]*\|/.test(line);
  return isRow(lines.at(-1)) && !isRow(lines.at(-2)) ? lines.slice(0, -1).join('\n') : text;
}
