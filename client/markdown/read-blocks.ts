import { type Nested, nest } from './nest.ts';
import type { Block, Cell, Inline, ListItem, Table } from './nodes.ts';
import { readInlines } from './read-inlines.ts';
import { readTask } from './read-task.ts';
import { readTokens } from './tokens.ts';

type ReadOptions = {
  /** Where `text` begins in the whole reply, so that its blocks know their place. */
  start?: number;
  /** Whether more text may follow: marks that are still open at the end are then shown as if they were closed. */
  isGrowing?: boolean;
};

/** Reads a Markdown text whole. Raw HTML is text, but for `<br>`. Never throws. */
export function readBlocks(text: string, { start = 0, isGrowing = false }: ReadOptions = {}): Block[] {
  const lineStarts = [0, ...Array.from(text.matchAll(/\r\n?|\n/g), ({ index, 0: lineEnd }) => index + lineEnd.length)];
  const startOf = ({ token }: Nested) => start + (lineStarts[token.map?.[0] ?? 0] ?? 0);

  const blocks = (nodes: readonly Nested[]): Block[] => nodes.map((node) => ({ start: startOf(node), ...block(node) }));

  function block(node: Nested) {
    const { token, children } = node;
    switch (token.type) {
      case 'heading_open':
        return { type: 'heading', level: Number(token.tag.slice(1)), children: inlines(node) } as const;
      case 'fence':
      case 'code_block':
        return { type: 'code', language: firstWord(token.info), text: token.content.replace(/\n$/, '') } as const;
      case 'blockquote_open':
        return { type: 'quote', blocks: blocks(children) } as const;
      case 'bullet_list_open':
        return { type: 'list', firstNumber: null, items: children.map(item) } as const;
      case 'ordered_list_open':
        return { type: 'list', firstNumber: Number(token.attrGet('start') ?? 1), items: children.map(item) } as const;
      case 'table_open':
        return table(node);
      case 'formula_block':
        return { type: 'formula', tex: token.content, written: token.markup, isDisplay: true } as const;
      case 'footnote_reference_open':
        return { type: 'note', label: String(token.meta?.label), blocks: blocks(children) } as const;
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

  const item = (node: Nested): ListItem => ({ start: startOf(node), ...readTask(blocks(node.children)) });

  return blocks(nest(readTokens(text, { isGrowing })));
}

function inlines({ children }: Nested): Inline[] {
  return children.flatMap(({ token }) => readInlines(token.children));
}

function cell(node: Nested): Cell {
  const style = node.token.attrGet('style');
  const alignment = (['left', 'center', 'right'] as const).find((side) => style === `text-align:${side}`);
  return { alignment, children: inlines(node) };
}

function firstWord(info: string): string {
  return /\S+/.exec(info)?.[0].toLowerCase() ?? '';
}
