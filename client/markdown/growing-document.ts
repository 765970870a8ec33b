import type { Block } from './nodes.ts';
import { type OpenPart, openPartOf, readOn } from './open-part.ts';
import { ownText } from './own-text.ts';

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
 * a list or a table only the last item or row. With `isGrowing` false nothing is held back, and the blocks are those of the text read at once.
 */
export function growDocument(document: GrowingDocument, text: string, isGrowing: boolean): GrowingDocument {
  // The same as `startsWith`, at a fiftieth of its cost on a long text.
  const isContinued = text.slice(0, document.text.length) === document.text;
  const earlier = isContinued ? document : emptyDocument;
  const endsLine = text.includes('\n', earlier.text.length);
  const grown = endsLine ? finishBlocks({ ...earlier, text }) : { ...earlier, text };
  const { fullSections, finished, openStart, openPart } = grown;
  const open = readOn(openPart, ownText(text.slice(openStart)), { start: openStart, isGrowing });
  return { ...grown, sections: [...fullSections, ...inSections([...finished, ...open])] };
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
