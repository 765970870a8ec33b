import { memo, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useTranslations } from 'use-intl/react';
import { CodeBlock } from './code-block.tsx';
import { estimatedHeight } from './estimated-height.ts';
import { FormulaBlock, loadTypesetter, mayHaveFormula } from './formula-view.tsx';
import { emptyDocument, growDocument, type Section } from './growing-document.ts';
import { inlineViews } from './inline-view.tsx';
import type { Alert, Block, List, ListItem } from './nodes.ts';
import { keepTextSteady } from './steady-text.ts';
import { TableView } from './table-view.tsx';

keepTextSteady();

/** `isCut` where the text ended early: emphasis that is open at its end is closed. */
type MarkdownProps = { text: string; isGrowing: boolean; isCut?: boolean };

/** A Markdown text as elements. While it grows, what is finished is neither read nor drawn again. */
export function Markdown({ text, isGrowing, isCut = false }: MarkdownProps) {
  const [shown, setShown] = useState({ text: '', isGrowing, document: emptyDocument });
  let current = shown;
  if (text !== shown.text || isGrowing !== shown.isGrowing) {
    current = { text, isGrowing, document: growDocument(shown.document, text, isGrowing, { isCut }) };
    setShown(current);
  }
  const hasFormula = mayHaveFormula(text);
  useEffect(() => {
    if (hasFormula) loadTypesetter();
  }, [hasFormula]);

  const { sections } = current.document;
  return sections.map((section, index) => (
    <SectionView
      key={section[0]?.start}
      section={section}
      isGrowing={isGrowing && index === sections.length - 1}
      writtenText={() => text.slice(section[0]?.start, sections[index + 1]?.[0]?.start)}
    />
  ));
}

/** Fetches what the formulas in `texts` are drawn with, if they may have some. */
export async function prepareFor(texts: readonly string[]): Promise<void> {
  if (texts.some(mayHaveFormula)) await loadTypesetter();
}

/** What is higher, a table of a thousand rows, say, would be laid out as a whole once more. */
const maxSparedPixels = 20_000;

type SectionViewProps = { section: Section; isGrowing: boolean; writtenText: () => string };

/** What is finished and out of view costs the browser nothing either: it is neither laid out nor painted. */
const SectionView = memo(function SectionView({ section, isGrowing, writtenText }: SectionViewProps) {
  const [wasGrowing] = useState(isGrowing);
  const box = useRef<HTMLDivElement>(null);
  const drawing = useRef(0);
  // A page translator has replaced text nodes: React would change those that it made, which are no longer on the page.
  if (box.current?.querySelector('font')) drawing.current += 1;

  // What has grown here is as high as it is: its place holder takes over its height, and what follows stays where it is.
  useLayoutEffect(() => {
    const { current } = box;
    if (isGrowing || current === null) return;
    const height = wasGrowing ? current.getBoundingClientRect().height : estimatedHeight(writtenText());
    if (wasGrowing && height > maxSparedPixels) return;
    current.style.containIntrinsicBlockSize = `auto ${height}px`;
    current.classList.add('section-finished');
  }, [wasGrowing, isGrowing, writtenText]);

  return (
    <div key={drawing.current} ref={box} className={wasGrowing ? 'section' : 'section section-finished'}>
      <BlockList blocks={section} isGrowing={isGrowing} direction="auto" />
    </div>
  );
}, isSameSection);

/** How a finished section is written does not change. */
function isSameSection(one: SectionViewProps, other: SectionViewProps): boolean {
  return one.section === other.section && one.isGrowing === other.isGrowing;
}

/** The first level is the page's own; most replies begin with the second, and none of it is to be skipped. */
const headings = ['h2', 'h2', 'h3', 'h4', 'h5', 'h6'] as const;

type BlockListProps = {
  blocks: readonly Block[];
  /** Whether more may be added to the last of them. */
  isGrowing: boolean;
  /** Each outermost block goes by its own first letter; what is within follows it. */
  direction?: 'auto' | undefined;
};

function BlockList({ blocks, isGrowing, direction }: BlockListProps) {
  return blocks.map((block, index) => (
    <BlockView
      key={block.start}
      block={block}
      isGrowing={isGrowing && index === blocks.length - 1}
      direction={direction}
    />
  ));
}

type BlockViewProps = { block: Block; isGrowing: boolean; direction: 'auto' | undefined };

const BlockView = memo(function BlockView({ block, isGrowing, direction }: BlockViewProps) {
  switch (block.type) {
    case 'heading': {
      const Heading = headings[block.level - 1] ?? 'h6';
      return (
        <Heading className={`heading heading-${block.level}`} dir={direction}>
          {inlineViews(block.children)}
        </Heading>
      );
    }
    case 'paragraph':
      return <p dir={direction}>{inlineViews(block.children)}</p>;
    case 'code':
      return <CodeBlock language={block.language} text={block.text} isGrowing={isGrowing} />;
    case 'quote':
      return (
        <blockquote dir={direction}>
          {block.alert && <AlertName alert={block.alert} />}
          <BlockList blocks={block.blocks} isGrowing={isGrowing} />
        </blockquote>
      );
    case 'list':
      return <ListView list={block} isGrowing={isGrowing} direction={direction} />;
    case 'table':
      return <TableView table={block} isGrowing={isGrowing} direction={direction} />;
    case 'formula':
      return <FormulaBlock tex={block.tex} written={block.written} />;
    case 'rule':
      return <hr />;
  }
});

/** What a quotation is, in the language of the page, where the quotation itself begins. */
function AlertName({ alert }: { alert: Alert }) {
  const t = useTranslations('quotations');
  return (
    <p className={`alert-name alert-${alert}`}>
      <bdi>{t(alert)}</bdi>
    </p>
  );
}

type ListViewProps = { list: List; isGrowing: boolean; direction: 'auto' | undefined };

function ListView({ list: { firstNumber, items }, isGrowing, direction }: ListViewProps) {
  const children = items.map((item, index) => (
    <ItemView key={item.start} item={item} isGrowing={isGrowing && index === items.length - 1} />
  ));
  if (firstNumber === null) return <ul dir={direction}>{children}</ul>;
  const lastNumber = firstNumber + items.length - 1;
  return (
    <ol dir={direction} start={firstNumber} style={{ '--digits': String(lastNumber).length }}>
      {children}
    </ol>
  );
}

const ItemView = memo(function ItemView({ item, isGrowing }: { item: ListItem; isGrowing: boolean }) {
  const t = useTranslations('tasks');
  const { isChecked, blocks } = item;
  const content = <BlockList blocks={blocks} isGrowing={isGrowing} />;
  if (isChecked === null) return <li>{content}</li>;
  return (
    <li className="task">
      <span className={isChecked ? 'box box-checked' : 'box'} role="img" aria-label={t(isChecked ? 'done' : 'open')} />
      {content}
    </li>
  );
});
