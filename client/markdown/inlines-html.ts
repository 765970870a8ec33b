import { escapeHtml } from './escape-html.ts';
import type { Inline } from './nodes.ts';

/**
 * What stands in a line, as HTML for another program. A formula is its TeX: where MathML is not known, its letters alone are
 * left, and x² reads x2.
 */
export function inlinesHtml(nodes: readonly Inline[]): string {
  return nodes.map(inlineHtml).join('');
}

const tags = { strong: 'strong', emphasis: 'em', deleted: 'del' } as const;

function inlineHtml(node: Inline): string {
  switch (node.type) {
    case 'text':
      return escapeHtml(node.text);
    case 'code':
      return `<code>${escapeHtml(node.text)}</code>`;
    case 'formula':
      return `<code>${escapeHtml(node.tex)}</code>`;
    case 'mark':
      return `<sup>${escapeHtml(node.label)}</sup>`;
    case 'break':
      return '<br>';
    case 'link':
      return `<a href="${escapeHtml(node.href)}">${inlinesHtml(node.children)}</a>`;
    default:
      return `<${tags[node.type]}>${inlinesHtml(node.children)}</${tags[node.type]}>`;
  }
}
