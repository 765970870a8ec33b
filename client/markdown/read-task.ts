import type { Block, ListItem } from './nodes.ts';

/** Finds out whether a list item begins with a box, `[ ]` or `[x]`, and takes it off the text. */
export function readTask(blocks: readonly Block[]): Omit<ListItem, 'start'> {
  const [first, ...others] = blocks;
  if (first?.type !== 'paragraph') return { isChecked: null, blocks };
  const [text, ...rest] = first.children;
  const box = text?.type === 'text' ? /^\[([ xX])\](?:\s+|$)/.exec(text.text) : null;
  if (text?.type !== 'text' || box === null) return { isChecked: null, blocks };
  const label = text.text.slice(box[0].length);
  const children = label === '' ? rest : [{ ...text, text: label }, ...rest];
  return { isChecked: box[1] !== ' ', blocks: [{ ...first, children }, ...others] };
}
