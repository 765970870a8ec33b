import { firstUndecidedItem } from './literal-marks.ts';
import { type Block, copyText, type List, readBlocks, type Table } from './nodes.ts';
import { isLargeTable } from './table-rule.ts';

/** Blocks that are rendered together. A full section stays the same object while the text grows. */
export type Section = readonly Block[];

/** A compromise: the last section is rendered again with each word, and the browser checks the visibility of each section. */
const blocksPerSection = 16;

export type GrowingDocument = {
  text: string;
  /** Everything that is shown. Finished blocks and finished list items stay the same objects while the text grows. */
  sections: readonly Section[];
  fullSections: readonly Section[];
  finished: readonly Block[];
  /** The start of the first block that more text can change, or of the first such item or row of a list or table. */
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
 * Parses `text`. If it continues that of `document`, parses only what can still change again: usually the last block, and of a list
 * or table the last item or row. If `isGrowing` is false, nothing is held back, and the blocks equal those of the text parsed at
 * once. `isCut` closes the marks that are open at the end of an incomplete text.
 */
export function growDocument(
  document: GrowingDocument,
  text: string,
  isGrowing: boolean,
  { isCut = false } = {},
): GrowingDocument {
  // Equal to `startsWith`, at a fiftieth of its cost on a long text.
  const isContinued = text.slice(0, document.text.length) === document.text;
  const earlier = isContinued ? reopenLargeTable(document, text) : emptyDocument;
  const endsLine = text.includes('\n', earlier.text.length);
  const updated = endsLine ? finishBlocks({ ...earlier, text }) : { ...earlier, text };
  const { fullSections, finished, openStart, openPart } = updated;
  const open = readContinuation(openPart, copyText(text.slice(openStart)), { start: openStart, isGrowing, isCut });
  return { ...updated, sections: [...fullSections, ...toSections([...finished, ...open])] };
}

/** Reopens a table that may have become too large to render, so that it is parsed again from its start. */
function reopenLargeTable(document: GrowingDocument, text: string): GrowingDocument {
  const { openStart, openPart } = document;
  if (openPart?.block.type !== 'table') return document;
  const { start, head, rows } = openPart.block;
  const openRows = text.slice(openStart).split('\n').length;
  const maxSize = { rows: 1 + rows.length + openRows, columns: head.length, characters: openStart - start };
  return isLargeTable(maxSize) ? { ...document, openStart: start, openPart: undefined } : document;
}

/**
 * Finishes all blocks but the last one that starts in a complete line, because only that one can still change. A list that can turn
 * into lines of text would continue the block before it, which therefore stays open too.
 */
function finishBlocks(document: GrowingDocument): GrowingDocument {
  const { text, openStart, openPart } = document;
  const lines = copyText(text.slice(openStart, text.lastIndexOf('\n') + 1));
  const blocks = readContinuation(openPart, lines, { start: openStart, isGrowing: false });
  const last = blocks.at(-1);
  if (last === undefined) return document;
  const canBecomeText = last.type === 'list' && firstUndecidedItem(last.items, text) === undefined;
  const openIndex = Math.max(0, blocks.length - (canBecomeText ? 2 : 1));
  const open = blocks[openIndex] ?? last;
  return {
    ...appendFinished(document, blocks.slice(0, openIndex)),
    ...openPartOf(open, text.slice(0, blocks[openIndex + 1]?.start)),
  };
}

function appendFinished(document: GrowingDocument, blocks: readonly Block[]): GrowingDocument {
  const sections = toSections([...document.finished, ...blocks]);
  const isFull = ({ length }: Section) => length === blocksPerSection;
  return {
    ...document,
    fullSections: [...document.fullSections, ...sections.filter(isFull)],
    finished: sections.find((section) => !isFull(section)) ?? [],
  };
}

function toSections(blocks: readonly Block[]): Section[] {
  const count = Math.ceil(blocks.length / blocksPerSection);
  return Array.from({ length: count }, (_, index) =>
    blocks.slice(index * blocksPerSection, (index + 1) * blocksPerSection),
  );
}

/** A list or table that may continue, with its finished items or rows. */
type OpenPart = {
  block: { start: number } & (List | Table);
  /** The source of the table's head, without which its rows cannot be parsed. Empty for a list. */
  lead: string;
};

/** Splits `last`, the last block of `text`, into its finished items or rows and those that can still change. */
function openPartOf(last: Block, text: string): { openStart: number; openPart: OpenPart | undefined } {
  if (last.type === 'list') {
    const { items } = last;
    const open = firstUndecidedItem(items, text) ?? items.length;
    const item = items[open];
    const block = { ...last, items: items.slice(0, open) };
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

function readContinuation(
  openPart: OpenPart | undefined,
  text: string,
  { start, isGrowing, isCut = false }: { start: number; isGrowing: boolean; isCut?: boolean },
): readonly Block[] {
  const lead = openPart?.lead ?? '';
  const whole = isGrowing ? withoutAmbiguousEnd(lead + text) : lead + text;
  const continuesList = openPart?.block.type === 'list';
  return mergeOpenPart(openPart, readBlocks(whole, { start: start - lead.length, isGrowing, isCut, continuesList }));
}

function mergeOpenPart(openPart: OpenPart | undefined, blocks: readonly Block[]): readonly Block[] {
  if (openPart === undefined) return blocks;
  const { block } = openPart;
  const [first, ...others] = blocks;
  if (block.type === 'list') {
    if (first?.type === 'list') return [{ ...block, items: [...block.items, ...first.items] }, ...others];
    return block.items.length === 0 ? blocks : [block, ...blocks];
  }
  return first?.type === 'table' ? [{ ...block, rows: [...block.rows, ...first.rows] }, ...others] : [block, ...blocks];
}

/** A line of these marks only, which can become a rule, bullet, heading, table row or closing fence. */
const onlyMarks = /^[\s>+*\-_=#|`~:]*$/;

/** `ambiguousLines` is not matched with a longer line, which bounds the time that the patterns take. */
const maxAmbiguousCharacters = 80;

/** Last lines that more text can turn into something else. */
const ambiguousLines = [
  // The number of a list item.
  /^[\s>]*\d+[.)]?$/,
  // A bullet or the start of bold text in a numbered item.
  /^[\s>]*\d+[.)]\s+[-+*]$/,
  // The checkbox of a task.
  /^[\s>]*(?:[-+*]|\d+[.)])\s+\[[ xX]?\]?\s*$/,
  // The marker of a callout.
  /^[\s>]*(?:(?:[-+*]|\d+[.)])\s+)*[\s>]*>\s*\[(?:!\w*\]?)?\s*$/,
  // The start of a display formula.
  /^[\s>]*\$\$?$/,
  // `<br>`
  /^[\s>]*<(?:b|br[ \t]*\/?)?$/i,
  // A fence with an incomplete language.
  /^[\s>]*(?:(?:[-+*]|\d+[.)])\s+)*(?:```|~~~)/,
];

/**
 * Removes the end of a growing text if it would be rendered differently a moment later, such as marks that turn into a bullet or a
 * heading, or the first line of a table as plain text. It appears once its meaning is clear.
 */
export function withoutAmbiguousEnd(text: string): string {
  const lineStart = text.lastIndexOf('\n') + 1;
  const line = text.slice(lineStart);
  const isAmbiguous =
    onlyMarks.test(line) ||
    (line.length <= maxAmbiguousCharacters && ambiguousLines.some((undecided) => undecided.test(line)));
  const decided = isAmbiguous ? text.slice(0, lineStart) : text;
  return withoutTableHead(decided);
}

function withoutTableHead(text: string): string {
  const lines = text.trimEnd().split('\n');
  const isRow = (line: string | undefined) => line !== undefined && /^[\s>]*\|/.test(line);
  return isRow(lines.at(-1)) && !isRow(lines.at(-2)) ? lines.slice(0, -1).join('\n') : text;
}
