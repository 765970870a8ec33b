import type { Token } from 'markdown-it';
import { type Nested, nest } from './nest.ts';
import type { Inline } from './nodes.ts';

/** What stands in a paragraph, a heading or a table cell. An image is never loaded: it becomes a link to it. */
export function readInlines(tokens: readonly Token[] | null): Inline[] {
  return nest(tokens ?? []).flatMap(readInline);
}

function readInline({ token, children }: Nested): Inline[] {
  switch (token.type) {
    case 'code_inline':
      return [{ type: 'code', text: token.content }];
    case 'softbreak':
    case 'hardbreak':
      return [{ type: 'break' }];
    case 'strong_open':
      return [{ type: 'strong', children: children.flatMap(readInline) }];
    case 'em_open':
      return [{ type: 'emphasis', children: children.flatMap(readInline) }];
    case 's_open':
      return [{ type: 'deleted', children: children.flatMap(readInline) }];
    case 'link_open':
      return link(token.attrGet('href')?.toString(), children.flatMap(readInline));
    case 'image':
      return link(token.attrGet('src')?.toString(), readInlines(token.children));
    default:
      return token.content === '' ? [] : [{ type: 'text', text: token.content }];
  }
}

function link(address: string | undefined, inner: readonly Inline[]): Inline[] {
  // An image in a link is a link in a link, which there cannot be: the outer one stands.
  const children = inner.flatMap((node) => (node.type === 'link' ? node.children : node));
  if (!address) return children;
  return [
    { type: 'link', href: address, children: children.length > 0 ? children : [{ type: 'text', text: address }] },
  ];
}
