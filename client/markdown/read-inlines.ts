import type { Token } from 'markdown-it';
import { inlineText } from './inline-text.ts';
import { namesPlace, readLinkTarget } from './link-target.ts';
import { type Nested, nest } from './nest.ts';
import type { Inline } from './nodes.ts';
import { ownText } from './own-text.ts';

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
    case 'formula_inline':
      return [
        { type: 'formula', tex: token.content, written: token.markup, isDisplay: token.meta?.isDisplay === true },
      ];
    case 'footnote_ref':
      return [{ type: 'mark', label: String(token.meta?.label) }];
    default:
      // It was read together with the block beside it.
      return token.content === '' ? [] : [{ type: 'text', text: ownText(token.content) }];
  }
}

function link(address: string | undefined, inner: readonly Inline[]): Inline[] {
  const children = inner.flatMap(asLinkText);
  const target = readLinkTarget(address ?? '');
  if (target === undefined) return children;
  const { href, place } = target;
  const text = inlineText(children);
  if (text.trim() === '') return [{ type: 'link', href, place: undefined, children: [{ type: 'text', text: href }] }];
  return [{ type: 'link', href, place: namesPlace(text, target) ? undefined : place, children }];
}

/** They can make the text of a link read as another address than the one that it spells. */
const directionMarks = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/g;

/** A node as it may stand in a link. An image there is a link in a link, which there cannot be: the outer one stands. */
function asLinkText(node: Inline): Inline[] {
  if (node.type === 'link') return [...node.children];
  // Neither can be pressed in a link, nor hide a direction mark in it.
  if (node.type === 'formula') return asLinkText({ type: 'text', text: node.written });
  if (node.type === 'mark') return asLinkText({ type: 'text', text: `[^${node.label}]` });
  if ('children' in node) return [{ ...node, children: node.children.flatMap(asLinkText) }];
  return 'text' in node ? [{ ...node, text: node.text.replace(directionMarks, '') }] : [node];
}
