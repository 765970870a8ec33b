import type { Token } from 'markdown-it';
import { namesOtherDestination, readLinkTarget } from './link-target.ts';
import { readTokens } from './parser.ts';

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

type ReadOptions = {
  /** The offset of `text` in the reply. */
  start?: number;
  /** Whether more text can follow. If so, open marks at the end are closed. */
  isGrowing?: boolean;
  /** Whether the text is incomplete and no more follows. If so, open marks are closed too. */
  isCut?: boolean;
  /** Whether the text starts with another item of a list. */
  continuesList?: boolean;
};

/** Reads HTML as text, except `<br>`. Never throws. */
export function readBlocks(text: string, options: ReadOptions = {}): Block[] {
  const { start = 0, ...state } = options;
  const lineStarts = [0, ...Array.from(text.matchAll(/\r\n?|\n/g), ({ index, 0: lineEnd }) => index + lineEnd.length)];
  const startOf = ({ token }: TokenNode) => start + (lineStarts[token.map?.[0] ?? 0] ?? 0);

  const blocks = (nodes: readonly TokenNode[]): Block[] =>
    nodes.filter((node) => !isCalloutMarker(node)).map((node) => ({ start: startOf(node), ...block(node) }));

  function block(node: TokenNode) {
    const { token, children } = node;
    switch (token.type) {
      case 'heading_open':
        return { type: 'heading', level: Number(token.tag.slice(1)), children: toInlines(node) } as const;
      case 'fence':
      case 'code_block':
        return { type: 'code', language: firstWord(token.info), text: token.content.replace(/\n$/, '') } as const;
      case 'blockquote_open':
        return { type: 'quote', callout: calloutKindOf(token.info), blocks: blocks(children) } as const;
      case 'bullet_list_open':
      case 'ordered_list_open':
        return { type: 'list', isOrdered: token.tag === 'ol', items: children.map(item) } as const;
      case 'table_open':
        return table(node);
      case 'formula_block':
        return { type: 'formula', tex: token.content, source: token.markup, isDisplay: true } as const;
      case 'hr':
        return { type: 'rule' } as const;
      default:
        return { type: 'paragraph', children: toInlines(node) } as const;
    }
  }

  function table({ children: sections }: TokenNode): Table {
    const [head, ...body] = sections.flatMap(({ children }) => children);
    const rows = body.map((row) => ({ start: startOf(row), cells: row.children.map(toCell) }));
    return { type: 'table', head: head?.children.map(toCell) ?? [], rows };
  }

  function item(node: TokenNode): ListItem {
    const task = node.children[0]?.children[0]?.token.children?.[0];
    const isChecked = task?.type === 'task' ? task.markup !== ' ' : null;
    const number = node.token.info === '' ? null : Number(node.token.info);
    return { start: startOf(node), number, isChecked, blocks: blocks(node.children) };
  }

  return blocks(nest(readTokens(text, state)));
}

/** In V8 a slice keeps its whole source in memory, so the blocks of a growing reply would keep all its earlier versions. */
export function copyText(part: string): string {
  return ` ${part}`.slice(1);
}

type TokenNode = { token: Token; children: TokenNode[] };

/** Builds a tree from the parser's flat list of opening and closing tokens. */
function nest(tokens: readonly Token[]): TokenNode[] {
  const top: TokenNode[] = [];
  const open = [top];
  for (const token of tokens) {
    if (token.nesting === -1) {
      open.pop();
      continue;
    }
    const node: TokenNode = { token, children: [] };
    open.at(-1)?.push(node);
    if (token.nesting === 1) open.push(node.children);
  }
  return top;
}

/** Returns whether a paragraph contained only the marker of its callout. */
function isCalloutMarker({ children: [first] }: TokenNode): boolean {
  return first?.token.type === 'inline' && first.token.hidden;
}

function calloutKindOf(info: string): CalloutKind | undefined {
  return calloutKinds.find((kind) => kind === info);
}

function toCell(node: TokenNode): Cell {
  const style = node.token.attrGet('style');
  const alignment = (['left', 'center', 'right'] as const).find((side) => style === `text-align:${side}`);
  return { alignment, children: toInlines(node) };
}

function firstWord(info: string): string {
  return /\S+/.exec(info)?.[0].toLowerCase() ?? '';
}

function toInlines({ children }: TokenNode): Inline[] {
  return children.flatMap(({ token }) => nest(token.children ?? []).flatMap(toInline));
}

function toInline({ token, children }: TokenNode): Inline[] {
  switch (token.type) {
    case 'code_inline':
      return [{ type: 'code', text: token.content }];
    case 'softbreak':
    case 'hardbreak':
      return [{ type: 'break' }];
    case 'strong_open':
      return [{ type: 'strong', children: children.flatMap(toInline) }];
    case 'em_open':
      return [{ type: 'emphasis', children: children.flatMap(toInline) }];
    case 's_open':
      return [{ type: 'deleted', children: children.flatMap(toInline) }];
    case 'link_open':
      return toLink(String(token.attrGet('href')), children.flatMap(toInline));
    case 'formula_inline':
      return [{ type: 'formula', tex: token.content, source: token.markup, isDisplay: token.meta?.isDisplay === true }];
    default:
      return token.content === '' ? [] : [{ type: 'text', text: copyText(token.content) }];
  }
}

function toLink(address: string, children: readonly Inline[]): Inline[] {
  const target = readLinkTarget(address);
  if (target === undefined) return [...children];
  const { href, destination } = target;
  const isMisleading = namesOtherDestination(inlineText(children), target);
  return [{ type: 'link', href, destination: isMisleading ? destination : undefined, children }];
}
