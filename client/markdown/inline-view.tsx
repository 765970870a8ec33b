import type { ReactNode } from 'react';
import { FormulaView } from './formula-view.tsx';
import type { Inline, Link } from './nodes.ts';
import { NoteMark } from './notes.tsx';

/** What stands in a line. Nodes are only ever added at the end, so their position is their identity. */
export function InlineList({ nodes }: { nodes: readonly Inline[] }) {
  return nodes.map(inline);
}

function inline(node: Inline, position: number): ReactNode {
  switch (node.type) {
    case 'text':
      return node.text;
    case 'code':
      return (
        <code key={position} dir="ltr">
          {node.text}
        </code>
      );
    case 'break':
      return <br key={position} />;
    case 'strong':
      return (
        <strong key={position}>
          <InlineList nodes={node.children} />
        </strong>
      );
    case 'emphasis':
      return (
        <em key={position}>
          <InlineList nodes={node.children} />
        </em>
      );
    case 'deleted':
      return (
        <del key={position}>
          <InlineList nodes={node.children} />
        </del>
      );
    case 'formula':
      return <FormulaView key={position} tex={node.tex} written={node.written} isDisplay={node.isDisplay} />;
    case 'mark':
      return <NoteMark key={position} label={node.label} />;
    case 'link':
      return <LinkView key={position} link={node} />;
  }
}

/** Its direction is its own: what stands around a link cannot turn its letters round. */
function LinkView({ link: { href, place, children } }: { link: Link }) {
  return (
    <a dir="auto" href={href} target="_blank" rel="noopener noreferrer nofollow" referrerPolicy="no-referrer">
      {place === undefined ? (
        <InlineList nodes={children} />
      ) : (
        <>
          <span className="link-text">
            <InlineList nodes={children} />
          </span>{' '}
          <bdi className="link-place" dir="ltr">
            ({place})
          </bdi>
        </>
      )}
    </a>
  );
}
