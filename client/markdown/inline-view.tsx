import { Fragment, type ReactNode } from 'react';
import { FormulaView } from './formulas/formula-view.tsx';
import { type Inline, inlineText, type Link } from './parsing/nodes.ts';
import { withVisibleBidiControls } from './visible-controls.tsx';

/** Nodes are only appended, so their index is a stable key. Not a component, because React would keep its props in memory twice. */
export function renderInlines(nodes: readonly Inline[]): ReactNode[] {
  return nodes.map((node, position) => renderInline(node, position, nodes));
}

function renderInline(node: Inline, position: number, nodes: readonly Inline[]): ReactNode {
  switch (node.type) {
    case 'text':
      return renderText(node.text.slice(closingMarks(nodes, position).length), position);
    case 'code':
      return (
        <code key={position} dir="ltr">
          {withVisibleBidiControls(node.text)}
        </code>
      );
    case 'break':
      return <br key={position} />;
    case 'strong':
      return <strong key={position}>{renderInlines(node.children)}</strong>;
    case 'emphasis':
      return <em key={position}>{renderInlines(node.children)}</em>;
    case 'deleted':
      return <del key={position}>{renderInlines(node.children)}</del>;
    case 'formula':
      return (
        <span key={position} className="unbroken">
          <FormulaView tex={node.tex} source={node.source} isDisplay={node.isDisplay} />
          {closingMarks(nodes, position + 1)}
        </span>
      );
    case 'link':
      return <LinkView key={position} link={node} />;
  }
}

/** Returns the punctuation directly after a formula. It is rendered with the formula, so that no line starts with it. */
function closingMarks(nodes: readonly Inline[], position: number): string {
  const node = nodes[position];
  if (node?.type !== 'text' || nodes[position - 1]?.type !== 'formula') return '';
  return /^[\p{Pe}\p{Pf}.,;:!?…。、，％%]+/u.exec(node.text)?.[0] ?? '';
}

/** Dates, ranges and other numbers with hyphens: a browser would break the line at a hyphen. */
const hyphenated = /(?<![\p{L}\p{N}])(\p{N}[\p{N}.,:/]{0,24}(?:[-–]\p{N}[\p{N}.,:/]*)+)/u;
const maxUnbroken = 24;

function renderText(text: string, position: number): ReactNode {
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

/** `dir="auto"` isolates a link, so that the surrounding text cannot reorder its characters. */
function LinkView({ link: { href, destination, children } }: { link: Link }) {
  const text = inlineText(children);
  const isBareLink = [href, href.replace(/\/$/, ''), href.replace(/^mailto:/, '')].includes(text);
  return (
    <a
      className={isBareLink ? 'bare-link' : undefined}
      dir="auto"
      href={href}
      title={href}
      target="_blank"
      rel="noopener noreferrer nofollow"
      referrerPolicy="no-referrer"
    >
      {renderInlines(children)}
      {destination !== undefined && (
        <bdi className="link-destination" dir="ltr">
          {` (${destination})`}
        </bdi>
      )}
    </a>
  );
}
