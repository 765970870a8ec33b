import { Children, type ReactNode } from 'react';
import type { Inline } from './nodes.ts';

/** What stands in a line. Nodes are only ever added at the end, so their position is their identity. */
export function InlineList({ nodes }: { nodes: readonly Inline[] }) {
  return Children.toArray(nodes.map(inline));
}

function inline(node: Inline): ReactNode {
  switch (node.type) {
    case 'text':
      return node.text;
    case 'code':
      return <code dir="ltr">{node.text}</code>;
    case 'break':
      return <br />;
    case 'strong':
      return (
        <strong>
          <InlineList nodes={node.children} />
        </strong>
      );
    case 'emphasis':
      return (
        <em>
          <InlineList nodes={node.children} />
        </em>
      );
    case 'deleted':
      return (
        <del>
          <InlineList nodes={node.children} />
        </del>
      );
    case 'link':
      return (
        <a href={node.href} target="_blank" rel="noopener noreferrer">
          <InlineList nodes={node.children} />
        </a>
      );
  }
}
