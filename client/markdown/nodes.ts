/** What Markdown means, as plain data: no HTML, no addresses but safe ones, nothing that a view would have to check. */
export type Inline =
  | { type: 'text'; text: string }
  | { type: 'code'; text: string }
  | { type: 'break' }
  | { type: 'strong' | 'emphasis' | 'deleted'; children: readonly Inline[] }
  | Link
  | Formula
  | { type: 'mark'; label: string };

/** `place` is where the link leads, and is undefined where its text says so itself. */
export type Link = { type: 'link'; href: string; place: string | undefined; children: readonly Inline[] };

/** A formula as TeX, without the marks around it; `written` has them. `isDisplay` where it stands on lines of its own. */
export type Formula = { type: 'formula'; tex: string; written: string; isDisplay: boolean };

/** `start` is where the block begins in the whole text: an identity that lasts while the text grows. */
export type Block = { start: number } & (
  | { type: 'heading'; level: number; children: readonly Inline[] }
  | { type: 'paragraph'; children: readonly Inline[] }
  | { type: 'code'; language: string; text: string }
  | { type: 'quote'; blocks: readonly Block[] }
  | List
  | Table
  | Formula
  | Note
  | { type: 'rule' }
);

/** `firstNumber` is null where the items are not numbered. */
export type List = { type: 'list'; firstNumber: number | null; items: readonly ListItem[] };

/** `isChecked` is null where the item is no task. */
export type ListItem = { start: number; isChecked: boolean | null; blocks: readonly Block[] };

export type Table = { type: 'table'; head: readonly Cell[]; rows: readonly Row[] };
export type Row = { start: number; cells: readonly Cell[] };
export type Cell = { alignment: 'left' | 'center' | 'right' | undefined; children: readonly Inline[] };

/** What a footnote says, where it was written. Marks in the text point to it by its label. */
export type Note = { type: 'note'; label: string; blocks: readonly Block[] };
