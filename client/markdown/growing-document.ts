import { isLargeTable } from './large-tables.ts';
import type { Block, List, Table } from './nodes.ts';
import { ownText, readBlocks } from './read-blocks.ts';

/** Blocks that are drawn together. One that is full stays the same object while the text grows. */
export type Section = readonly Block[];

/** Few enough to be drawn anew with each word, and so many that the browser has few sections to look at for what is in view. */
export const fullSection = 16;

/** A Markdown text that is still being written, read as far as it goes. */
export type GrowingDocument = {
  text: string;
  /** All that is shown. Finished blocks, and finished items of a list, stay the same objects while the text grows. */
  sections: readonly Section[];
  fullSections: readonly Section[];
  /** The finished blocks after those: fewer than a full section has. */
  finished: readonly Block[];
  /** Where the first block begins that more text can change; in a list or a table, its first such item or row. */
  openStart: number;
  /** The list or table whose last item or row is at `openStart`. */
  openPart: OpenPart | undefined;
};

export const emptyDocument: GrowingDocument = {
  text: '',
  sections: [],
  fullSections: [],
  finished: [],
  openStart: 0,
  openPart: undefined,
};

/**
 * Reads on where `document` ended, given the whole `text` so far: of what is there only the last block is read again, and of
 * a list or a table only the last item or row. With `isGrowing` false nothing is held back, and the blocks are those of the text read at once. With
 * `isCut`, emphasis that is open at the end of a text that no longer grows is closed.
 */
export function growDocument(
  document: GrowingDocument,
  text: string,
  isGrowing: boolean,
  { isCut = false } = {},
): GrowingDocument {
  // The same as `startsWith`, at a fiftieth of its cost on a long text.
  const isContinued = text.slice(0, document.text.length) === document.text;
  const earlier = isContinued ? withRoomForRows(document, text) : emptyDocument;
  const endsLine = text.includes('\n', earlier.text.length);
  const grown = endsLine ? finishBlocks({ ...earlier, text }) : { ...earlier, text };
  const { fullSections, finished, openStart, openPart } = grown;
  const open = readOn(openPart, ownText(text.slice(openStart)), { start: openStart, isGrowing, isCut });
  return { ...grown, sections: [...fullSections, ...inSections([...finished, ...open])] };
}

/** The document as it is, but a table that may become too large to be drawn is to be read again as a whole. */
function withRoomForRows(document: GrowingDocument, text: string): GrowingDocument {
  const { openStart, openPart } = document;
  if (openPart?.block.type !== 'table') return document;
  const { start, head, rows } = openPart.block;
  const openRows = text.slice(openStart).split('\n').length;
  const most = { rows: 1 + rows.length + openRows, columns: head.length, characters: openStart - start };
  return isLargeTable(most) ? { ...document, openStart: start, openPart: undefined } : document;
}

/** Moves on to the last block that begins in a whole line: it alone can still change, for no block reaches back over another. */
function finishBlocks(document: GrowingDocument): GrowingDocument {
  const { text, openStart, openPart } = document;
  const lines = ownText(text.slice(openStart, text.lastIndexOf('\n') + 1));
  const blocks = readOn(openPart, lines, { start: openStart, isGrowing: false });
  const last = blocks.at(-1);
  if (last === undefined) return document;
  return { ...finish(document, blocks.slice(0, -1)), ...openPartOf(last, text) };
}

/** Puts `blocks` after those that are finished, and into a section of their own what fills one. */
function finish(document: GrowingDocument, blocks: readonly Block[]): GrowingDocument {
  const sections = inSections([...document.finished, ...blocks]);
  const isFull = ({ length }: Section) => length === fullSection;
  return {
    ...document,
    fullSections: [...document.fullSections, ...sections.filter(isFull)],
    finished: sections.find((section) => !isFull(section)) ?? [],
  };
}

function inSections(blocks: readonly Block[]): Section[] {
  const count = Math.ceil(blocks.length / fullSection);
  return Array.from({ length: count }, (_, index) => blocks.slice(index * fullSection, (index + 1) * fullSection));
}

/** A list or a table that may go on, with as many of its items or rows as are finished. */
type OpenPart = {
  block: { start: number } & (List | Table);
  /** The first lines of the table as they are written: its rows cannot be read without them. Empty for a list. */
  lead: string;
};

/** Where what is still open in `text` begins if `last` is its last block: the block, or the last item or row of it. */
function openPartOf(last: Block, text: string): { openStart: number; openPart: OpenPart | undefined } {
  if (last.type === 'list') {
    const { items } = last;
    const item = items.at(-1);
    const block = { ...last, items: items.slice(0, -1) };
    if (item !== undefined) return { openStart: item.start, openPart: { block, lead: '' } };
  }
  if (last.type === 'table') {
    const { start, rows } = last;
    const row = rows.at(-1);
    const block = { ...last, rows: rows.slice(0, -1) };
    if (row !== undefined)
      return { openStart: row.start, openPart: { block, lead: text.slice(start, rows[0]?.start) } };
  }
  return { openStart: last.start, openPart: undefined };
}

/** Reads `text`, which begins at `start` in the whole text and goes on with `openPart`. */
function readOn(
  openPart: OpenPart | undefined,
  text: string,
  { start, isGrowing, isCut = false }: { start: number; isGrowing: boolean; isCut?: boolean },
): readonly Block[] {
  const lead = openPart?.lead ?? '';
  const whole = isGrowing ? holdBack(lead + text) : lead + text;
  return putBack(openPart, readBlocks(whole, { start: start - lead.length, isGrowing, isCut }));
}

/** Puts the finished items or rows back in front of those that were read on. */
function putBack(openPart: OpenPart | undefined, blocks: readonly Block[]): readonly Block[] {
  if (openPart === undefined) return blocks;
  const { block } = openPart;
  const [first, ...others] = blocks;
  if (block.type === 'list') {
    if (first?.type === 'list') return [{ ...block, items: [...block.items, ...first.items] }, ...others];
    return block.items.length === 0 ? blocks : [block, ...blocks];
  }
  return first?.type === 'table' ? [{ ...block, rows: [...block.rows, ...first.rows] }, ...others] : [block, ...blocks];
}

/** A rule, a bullet, a heading, the row of a table or the end of some code. */
const onlyMarks = /^[\s>+*\-_=#|`~:]*$/;

/** A longer line has decided what it is. The patterns below would take too long for it. */
const maxUndecidedCharacters = 80;

/** Last lines that may still become something else. */
const undecidedLines = [
  // a number that may become an item's
  /^[\s>]*\d+[.)]?$/,
  // in a numbered item, what may become a bullet or a bold word
  /^[\s>]*\d+[.)]\s+[-+*]$/,
  // a box that may become a task's
  /^[\s>]*(?:[-+*]|\d+[.)])\s+\[[ xX]?\]?\s*$/,
  // the name of a quotation
  /^[\s>]*(?:(?:[-+*]|\d+[.)])\s+)*[\s>]*>\s*\[(?:!\w*\]?)?\s*$/,
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
  const isUndecided =
    onlyMarks.test(line) ||
    (line.length <= maxUndecidedCharacters && undecidedLines.some((undecided) => undecided.test(line)));
  const decided = isUndecided ? text.slice(0, lineStart) : text;
  return withoutTableHead(decided);
}

function withoutTableHead(text: string): string {
  const lines = text.trimEnd().split('\n');
  const isRow = (line: string | undefined) => line !== undefined && /^[\s>]*\|/.test(line);
  return isRow(lines.at(-1)) && !isRow(lines.at(-2)) ? lines.slice(0, -1).join('\n') : text;
}
