import { holdBack } from './hold-back.ts';
import type { Block, ListItem } from './nodes.ts';
import { readBlocks } from './read-blocks.ts';

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
  /** Where the first block begins that more text can change; in a list, its first such item. */
  openStart: number;
  /** The list whose last item is at `openStart`: where it began, and its finished items. */
  openList: { start: number; firstNumber: number | null; items: readonly ListItem[] } | undefined;
};

export const emptyDocument: GrowingDocument = {
  text: '',
  sections: [],
  fullSections: [],
  finished: [],
  openStart: 0,
  openList: undefined,
};

/**
 * Reads on where `document` ended, given the whole `text` so far: only its last block, or its list's last item, is read
 * again. With `isGrowing` false nothing is held back, and the blocks are those of the text read at once.
 */
export function growDocument(document: GrowingDocument, text: string, isGrowing: boolean): GrowingDocument {
  // The same as `startsWith`, at a fiftieth of its cost on a long text.
  const isContinued = text.slice(0, document.text.length) === document.text;
  const earlier = isContinued ? document : emptyDocument;
  const endsLine = text.includes('\n', earlier.text.length);
  const grown = endsLine ? finishBlocks({ ...earlier, text }) : { ...earlier, text };
  const { fullSections, finished, openStart } = grown;
  const openText = text.slice(openStart);
  const open = readBlocks(isGrowing ? holdBack(openText) : openText, { start: openStart, isGrowing });
  return { ...grown, sections: [...fullSections, ...inSections([...finished, ...continueList(grown, open)])] };
}

/** Moves on to the last block that begins in a whole line: it alone can still change, for no block reaches back over another. */
function finishBlocks(document: GrowingDocument): GrowingDocument {
  const { text, openStart } = document;
  const lastLineStart = text.lastIndexOf('\n') + 1;
  const blocks = continueList(document, readBlocks(text.slice(openStart, lastLineStart), { start: openStart }));
  const last = blocks.at(-1);
  if (last === undefined) return document;
  const grown = finish(document, blocks.slice(0, -1));
  const lastItem = last.type === 'list' ? last.items.at(-1) : undefined;
  if (last.type !== 'list' || lastItem === undefined) return { ...grown, openStart: last.start, openList: undefined };
  const { start, firstNumber, items } = last;
  return { ...grown, openStart: lastItem.start, openList: { start, firstNumber, items: items.slice(0, -1) } };
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

/** Puts the finished items of the open list back in front of those that were read on. */
function continueList({ openList }: GrowingDocument, blocks: readonly Block[]): readonly Block[] {
  const [first, ...others] = blocks;
  if (openList === undefined) return blocks;
  const { items, ...list } = openList;
  if (first?.type !== 'list') return items.length === 0 ? blocks : [{ type: 'list', ...list, items }, ...blocks];
  return [{ ...first, ...list, items: [...items, ...first.items] }, ...others];
}
