import { escapeHtml } from './escape-html.ts';
import { inlineLines } from './inline-lines.ts';
import { inlineText } from './inline-text.ts';
import { inlinesHtml } from './inlines-html.ts';
import type { Block, Cell, Inline, List, ListItem, Table } from './nodes.ts';
import { formulaGuard } from './table-text.ts';

type HtmlOptions = {
  /** What level a heading of the first level gets, below those of the document that it stands in. */
  topLevel?: number;
};

/**
 * Blocks as HTML for another program: a word processor, a mail, a spreadsheet. No classes, and only those attributes that
 * these programs need to show the same. Every text is escaped, every address is one that `readLinkTarget` let through.
 */
export function blocksHtml(blocks: readonly Block[], { topLevel = 1 }: HtmlOptions = {}): string {
  return blocks.map((block) => blockHtml(block, topLevel)).join('\n');
}

function blockHtml(block: Block, topLevel: number): string {
  const direction = directionOf(block);
  switch (block.type) {
    case 'heading': {
      const tag = `h${Math.min(6, block.level - 1 + topLevel)}`;
      return `<${tag}${direction}>${inlinesHtml(block.children)}</${tag}>`;
    }
    case 'paragraph':
      return `<p${direction}>${inlinesHtml(block.children)}</p>`;
    case 'code':
      return `<pre><code>${escapeHtml(block.text)}</code></pre>`;
    case 'formula':
      return `<p>${inlinesHtml([block])}</p>`;
    case 'quote':
      return `<blockquote${direction}>${blocksHtml(block.blocks, { topLevel })}</blockquote>`;
    case 'list':
      return listHtml(block, direction, topLevel);
    case 'table':
      return tableHtml(block, direction);
    case 'note':
      return `<div${direction}><sup>${escapeHtml(block.label)}</sup> ${itemHtml(block.blocks, topLevel)}</div>`;
    case 'rule':
      return '<hr>';
  }
}

function listHtml({ firstNumber, items }: List, direction: string, topLevel: number): string {
  const content = items.map(({ isChecked, blocks }: ListItem) => {
    const box = isChecked === null ? '' : isChecked ? '☑ ' : '☐ ';
    return `<li>${box}${itemHtml(blocks, topLevel)}</li>`;
  });
  if (firstNumber === null) return `<ul${direction}>${content.join('')}</ul>`;
  const start = firstNumber === 1 ? '' : ` start="${firstNumber}"`;
  return `<ol${direction}${start}>${content.join('')}</ol>`;
}

/** An item with one paragraph is that text alone: a paragraph in it would be set apart from the next item. */
function itemHtml(blocks: readonly Block[], topLevel: number): string {
  const [first, ...others] = blocks;
  if (first?.type !== 'paragraph') return blocksHtml(blocks, { topLevel });
  return inlinesHtml(first.children) + blocksHtml(others, { topLevel });
}

/**
 * A table for a spreadsheet, which prefers this to plain text: so the guard against formulas is in here too. Some make a cell
 * of each line, so each line has it. A copied reply has none, for Word and mail would show each apostrophe.
 */
export function spreadsheetHtml(table: Table): string {
  const guarded = (line: readonly Inline[]) => escapeHtml(formulaGuard(inlineText(line).trim())) + inlinesHtml(line);
  return tableHtml(table, '', (nodes) => inlineLines(nodes).map(guarded).join('<br>'));
}

/** A table with lines, which a word processor would leave out. No style: a browser judges it by the page's own policy. */
function tableHtml({ head, rows }: Table, direction: string, textHtml = inlinesHtml): string {
  const cellHtml = ({ alignment, children }: Cell, tag: 'th' | 'td') => {
    const align = alignment === undefined ? '' : ` align="${alignment}"`;
    return `<${tag}${align}>${textHtml(children)}</${tag}>`;
  };
  const row = (cells: readonly Cell[], tag: 'th' | 'td') =>
    `<tr>${cells.map((cell) => cellHtml(cell, tag)).join('')}</tr>`;
  const body = rows.map(({ cells }) => row(cells, 'td')).join('');
  const frame = ' border="1" cellpadding="4" cellspacing="0"';
  return `<table${direction}${frame}><thead>${row(head, 'th')}</thead><tbody>${body}</tbody></table>`;
}

/** The first letter that has a direction decides it, as it does in the window; other programs do not look for it. */
function directionOf(block: Block): string {
  const letter = /\p{L}/u.exec(blockText(block))?.[0] ?? '';
  return /[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC]/.test(letter) ? ' dir="rtl"' : '';
}

function blockText(block: Block | undefined): string {
  if (block === undefined) return '';
  if ('children' in block) return inlineText(block.children);
  if ('blocks' in block) return blockText(block.blocks[0]);
  if ('items' in block) return blockText(block.items[0]?.blocks[0]);
  return 'head' in block ? block.head.map(({ children }) => inlineText(children)).join(' ') : '';
}
