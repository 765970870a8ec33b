/** What Markdown means, as plain data: no HTML, no addresses but safe ones, nothing that a view would have to check. */
export type Inline =
  | { type: 'text'; text: string }
  | { type: 'code'; text: string }
  | { type: 'break' }
  | { type: 'strong' | 'emphasis' | 'deleted'; children: readonly Inline[] }
  | Link
  | Formula;

/** `place` is where the link leads where its text names another place, or the same one in other letters. */
export type Link = { type: 'link'; href: string; place: string | undefined; children: readonly Inline[] };

/** A formula as TeX, without the marks around it; `written` has them. `isDisplay` where it stands on lines of its own. */
export type Formula = { type: 'formula'; tex: string; written: string; isDisplay: boolean };

/** `start` is where the block begins in the whole text: an identity that lasts while the text grows. */
export type Block = { start: number } & (
  | { type: 'heading'; level: number; children: readonly Inline[] }
  | { type: 'paragraph'; children: readonly Inline[] }
  | { type: 'code'; language: string; text: string }
  | { type: 'quote'; alert: Alert | undefined; blocks: readonly Block[] }
  | List
  | Table
  | Formula
  | { type: 'rule' }
);

/** What a quotation that begins with `[!NOTE]` or its kin is called. */
export type Alert = (typeof alerts)[number];
export const alerts = ['note', 'tip', 'important', 'warning', 'caution'] as const;

/** `firstNumber` is null where the items are not numbered. */
export type List = { type: 'list'; firstNumber: number | null; items: readonly ListItem[] };

/** `isChecked` is null where the item is no task. */
export type ListItem = { start: number; isChecked: boolean | null; blocks: readonly Block[] };

export type Table = { type: 'table'; head: readonly Cell[]; rows: readonly Row[] };
export type Row = { start: number; cells: readonly Cell[] };
export type Cell = { alignment: 'left' | 'center' | 'right' | undefined; children: readonly Inline[] };

/** What a line says without its marks. A formula is its TeX. */
export function inlineText(nodes: readonly Inline[]): string {
  return nodes
    .map((node) => {
      if ('children' in node) return inlineText(node.children);
      if (node.type === 'formula') return node.tex;
      return node.type === 'break' ? '\n' : node.text;
    })
    .join('');
}
