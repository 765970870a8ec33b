/** Parsed Markdown as plain data, without HTML and with accepted URLs only, so that views need no checks. */
export type Inline =
  | { type: 'text'; text: string }
  | { type: 'code'; text: string }
  | { type: 'break' }
  | { type: 'strong' | 'emphasis' | 'deleted'; children: readonly Inline[] }
  | Link
  | Formula;

/** `destination` is set if the text names a different destination, or the same one in look-alike characters. */
export type Link = { type: 'link'; href: string; destination: string | undefined; children: readonly Inline[] };

/** `tex` is without the surrounding marks, and `source` includes them. `isDisplay` is true if the formula has its own lines. */
type Formula = { type: 'formula'; tex: string; source: string; isDisplay: boolean };

/** `start` is the offset in the reply: a key that is stable while the text grows. */
export type Block = { start: number } & (
  | { type: 'heading'; level: number; children: readonly Inline[] }
  | { type: 'paragraph'; children: readonly Inline[] }
  | { type: 'code'; language: string; text: string }
  | { type: 'quote'; callout: CalloutKind | undefined; blocks: readonly Block[] }
  | List
  | Table
  | Formula
  | { type: 'rule' }
);

export type CalloutKind = (typeof calloutKinds)[number];
export const calloutKinds = ['note', 'tip', 'important', 'warning', 'caution'] as const;

export type List = { type: 'list'; isOrdered: boolean; items: readonly ListItem[] };

/** `number` is null in a bulleted list, and `isChecked` unless the item is a task. */
export type ListItem = { start: number; number: number | null; isChecked: boolean | null; blocks: readonly Block[] };

export type Table = { type: 'table'; head: readonly Cell[]; rows: readonly Row[] };
export type Row = { start: number; cells: readonly Cell[] };
export type Cell = { alignment: 'left' | 'center' | 'right' | undefined; children: readonly Inline[] };

/** Returns the text without Markdown syntax. Formulas are TeX. */
export function inlineText(nodes: readonly Inline[]): string {
  return nodes
    .map((node) => {
      if ('children' in node) return inlineText(node.children);
      if (node.type === 'formula') return node.tex;
      return node.type === 'break' ? '\n' : node.text;
    })
    .join('');
}
