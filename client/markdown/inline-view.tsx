import type { ReactNode } from 'react';
import { FormulaView } from './formula-view.tsx';
import type { Inline, Link } from './nodes.ts';
import { NoteMark } from './notes.tsx';

/**
 * What stands in a line. Nodes are only ever added at the end, so their position is their identity. No component: a long reply
 * has thousands of lines, and React would keep each twice.
 */
export function inlineViews(nodes: readonly Inline[]): ReactNode[] {
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
      return <strong key={position}>{inlineViews(node.children)}</strong>;
    case 'emphasis':
      return <em key={position}>{inlineViews(node.children)}</em>;
    case 'deleted':
      return <del key={position}>{inlineViews(node.children)}</del>;
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
        inlineViews(children)
      ) : (
        <>
          <span className="link-text">{inlineViews(children)}</span>{' '}
          <bdi className="link-place" dir="ltr">
            ({place})
          </bdi>
        </>
      )}
    </a>
  );
}
