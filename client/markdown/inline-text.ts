import type { Inline } from './nodes.ts';

/** What a line says without its marks. A formula is its TeX; a mark of a footnote is left as it was written. */
export function inlineText(nodes: readonly Inline[]): string {
  return nodes.map(textOf).join('');
}

function textOf(node: Inline): string {
  switch (node.type) {
    case 'text':
    case 'code':
      return node.text;
    case 'break':
      return '\n';
    case 'formula':
      return node.tex;
    case 'mark':
      return `[^${node.label}]`;
    default:
      return inlineText(node.children);
  }
}
