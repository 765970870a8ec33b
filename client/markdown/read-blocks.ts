import type { Token } from 'markdown-it';
import { namesAnotherPlace, readLinkTarget } from './link-target.ts';
import {
  type Alert,
  alerts,
  type Block,
  type Cell,
  type Inline,
  inlineText,
  type ListItem,
  type Table,
} from './nodes.ts';
import { readTokens } from './parser.ts';

type ReadOptions = {
  /** Where `text` begins in the whole reply, so that its blocks know their place. */
  start?: number;
  /** Whether more text may follow: marks that are still open at the end are then shown as if they were closed. */
  isGrowing?: boolean;
  /** Whether the text ends early and no more follows: marks are closed likewise. */
  isCut?: boolean;
};

/** Reads a Markdown text whole. Raw HTML is text, but for `<br>`. Never throws. */
export function readBlocks(text: string, { start = 0, isGrowing = false, isCut = false }: ReadOptions = {}): Block[] {
  const lineStarts = [0, ...Array.from(text.matchAll(/\r\n?|\n/g), ({ index, 0: lineEnd }) => index + lineEnd.length)];
  const startOf = ({ token }: Nested) => start + (lineStarts[token.map?.[0] ?? 0] ?? 0);

  const blocks = (nodes: readonly Nested[]): Block[] =>
    nodes.filter((node) => !isEmptied(node)).map((node) => ({ start: startOf(node), ...block(node) }));

  function block(node: Nested) {
    const { token, children } = node;
    switch (token.type) {
      case 'heading_open':
        return { type: 'heading', level: Number(token.tag.slice(1)), children: inlines(node) } as const;
      case 'fence':
      case 'code_block':
        return { type: 'code', language: firstWord(token.info), text: token.content.replace(/\n$/, '') } as const;
      case 'blockquote_open':
        return { type: 'quote', alert: alertIn(token.info), blocks: blocks(children) } as const;
      case 'bullet_list_open':
        return { type: 'list', firstNumber: null, items: children.map(item) } as const;
      case 'ordered_list_open':
        return { type: 'list', firstNumber: Number(token.attrGet('start') ?? 1), items: children.map(item) } as const;
      case 'table_open':
        return table(node);
      case 'formula_block':
        return { type: 'formula', tex: token.content, written: token.markup, isDisplay: true } as const;
      case 'hr':
        return { type: 'rule' } as const;
      default:
        return { type: 'paragraph', children: inlines(node) } as const;
    }
  }

  function table({ children: sections }: Nested): Table {
    const [head, ...body] = sections.flatMap(({ children }) => children);
    const rows = body.map((row) => ({ start: startOf(row), cells: row.children.map(cell) }));
    return { type: 'table', head: head?.children.map(cell) ?? [], rows };
  }

  function item(node: Nested): ListItem {
    const task = node.children[0]?.children[0]?.token.children?.[0];
    const isChecked = task?.type === 'task' ? task.markup !== ' ' : null;
    return { start: startOf(node), isChecked, blocks: blocks(node.children) };
  }

  return blocks(nest(readTokens(text, { isGrowing, isCut })));
}

/**
 * The same text as a string of its own. A part of a string holds all of it: what is kept of a reply that grows would hold the
 * whole reply, once more for each part.
 */
export function ownText(part: string): string {
  return ` ${part}`.slice(1);
}

type Nested = { token: Token; children: Nested[] };

/** Turns the parser's flat list, in which tokens open and close, into a tree. */
function nest(tokens: readonly Token[]): Nested[] {
  const top: Nested[] = [];
  const open = [top];
  for (const token of tokens) {
    if (token.nesting === -1) {
      open.pop();
      continue;
    }
    const node: Nested = { token, children: [] };
    open.at(-1)?.push(node);
    if (token.nesting === 1) open.push(node.children);
  }
  return top;
}

/** Whether nothing is left of a paragraph but the name that its quotation has got. */
function isEmptied({ children: [first] }: Nested): boolean {
  return first?.token.type === 'inline' && first.token.hidden;
}

function alertIn(info: string): Alert | undefined {
  return alerts.find((alert) => alert === info);
}

function cell(node: Nested): Cell {
  const style = node.token.attrGet('style');
  const alignment = (['left', 'center', 'right'] as const).find((side) => style === `text-align:${side}`);
  return { alignment, children: inlines(node) };
}

function firstWord(info: string): string {
  return /\S+/.exec(info)?.[0].toLowerCase() ?? '';
}

/** What stands in a paragraph, a heading or a table cell. */
function inlines({ children }: Nested): Inline[] {
  return children.flatMap(({ token }) => nest(token.children ?? []).flatMap(inline));
}

function inline({ token, children }: Nested): Inline[] {
  switch (token.type) {
    case 'code_inline':
      return [{ type: 'code', text: token.content }];
    case 'softbreak':
    case 'hardbreak':
      return [{ type: 'break' }];
    case 'strong_open':
      return [{ type: 'strong', children: children.flatMap(inline) }];
    case 'em_open':
      return [{ type: 'emphasis', children: children.flatMap(inline) }];
    case 's_open':
      return [{ type: 'deleted', children: children.flatMap(inline) }];
    case 'link_open':
      return link(String(token.attrGet('href')), children.flatMap(inline));
    case 'formula_inline':
      return [
        { type: 'formula', tex: token.content, written: token.markup, isDisplay: token.meta?.isDisplay === true },
      ];
    default:
      return token.content === '' ? [] : [{ type: 'text', text: ownText(token.content) }];
  }
}

function link(address: string, children: readonly Inline[]): Inline[] {
  const target = readLinkTarget(address);
  if (target === undefined) return [...children];
  const { href, place } = target;
  return [{ type: 'link', href, place: namesAnotherPlace(inlineText(children), target) ? place : undefined, children }];
}
