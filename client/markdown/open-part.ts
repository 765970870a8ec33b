import { holdBack } from './hold-back.ts';
import type { Block, List, Table } from './nodes.ts';
import { readBlocks } from './read-blocks.ts';

/** A list or a table that may go on, with as many of its items or rows as are finished. */
export type OpenPart = {
  block: { start: number } & (List | Table);
  /** The first lines of the table as they are written: its rows cannot be read without them. Empty for a list. */
  lead: string;
};

/** Where what is still open in `text` begins if `last` is its last block: the block, or the last item or row of it. */
export function openPartOf(last: Block, text: string): { openStart: number; openPart: OpenPart | undefined } {
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
export function readOn(
  openPart: OpenPart | undefined,
  text: string,
  { start, isGrowing }: { start: number; isGrowing: boolean },
): readonly Block[] {
  const lead = openPart?.lead ?? '';
  const whole = isGrowing ? holdBack(lead + text) : lead + text;
  return putBack(openPart, readBlocks(whole, { start: start - lead.length, isGrowing }));
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
