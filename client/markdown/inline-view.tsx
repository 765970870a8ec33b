import { Fragment, type ReactNode } from 'react';
import { FormulaView } from './formula-view.tsx';
import { type Inline, inlineText, type Link } from './nodes.ts';

/**
 * What stands in a line. Nodes are only ever added at the end, so their position is their identity. No component: a long reply
 * has thousands of lines, and React would keep each twice.
 */
export function inlineViews(nodes: readonly Inline[]): ReactNode[] {
  return nodes.map((node, position) => inline(node, position, nodes));
}

function inline(node: Inline, position: number, nodes: readonly Inline[]): ReactNode {
  switch (node.type) {
    case 'text':
      return textView(node.text.slice(closingMarks(nodes, position).length), position);
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
      return (
        <span key={position} className="unbroken">
          <FormulaView tex={node.tex} written={node.written} isDisplay={node.isDisplay} />
          {closingMarks(nodes, position + 1)}
        </span>
      );
    case 'link':
      return <LinkView key={position} link={node} />;
  }
}

/** The full stop and its kin right behind a formula: a line may not begin with them, so they stand with the formula. */
function closingMarks(nodes: readonly Inline[], position: number): string {
  const node = nodes[position];
  if (node?.type !== 'text' || nodes[position - 1]?.type !== 'formula') return '';
  return /^[\p{Pe}\p{Pf}.,;:!?…。、，％%]+/u.exec(node.text)?.[0] ?? '';
}

/** Dates, spans and other numbers with hyphens in them, which a browser would break. A very long one may be. */
const hyphenated = /(?<![\p{L}\p{N}])(\p{N}[\p{N}.,:/]{0,24}(?:[-–]\p{N}[\p{N}.,:/]*)+)/u;
const maxUnbroken = 24;

function textView(text: string, position: number): ReactNode {
  const parts = text.split(hyphenated);
  if (parts.length === 1 || parts.every((part, index) => index % 2 === 1 || part === '')) return text;
  return (
    <Fragment key={position}>
      {parts.map((part, index) =>
        index % 2 === 1 && part.length <= maxUnbroken ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: parts are only ever added at the end.
          <span key={index} className="unbroken">
            {part}
          </span>
        ) : (
          part
        ),
      )}
    </Fragment>
  );
}

/** Its direction is its own: what stands around a link cannot turn its letters round. */
function LinkView({ link: { href, place, children } }: { link: Link }) {
  const text = inlineText(children);
  const saysAddress = [href, href.replace(/\/$/, ''), href.replace(/^mailto:/, '')].includes(text);
  return (
    <a
      className={saysAddress ? 'bare-link' : undefined}
      dir="auto"
      href={href}
      title={href}
      target="_blank"
      rel="noopener noreferrer nofollow"
      referrerPolicy="no-referrer"
    >
      {inlineViews(children)}
      {place !== undefined && (
        <bdi className="link-place" dir="ltr">
          {` (${place})`}
        </bdi>
      )}
    </a>
  );
}
