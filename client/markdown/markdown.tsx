import '../language/messages/en.ts';
import '../styles/rich-markdown.css';
import {
  Component,
  memo,
  type ReactNode,
  useEffect,
  useLayoutEffect,
  useMemo,
  useReducer,
  useRef,
  useState,
} from 'react';
import { useTranslations } from 'use-intl/react';
import { nodeMissingEvent } from '../browser/moved-nodes.ts';
import { estimatedHeight } from '../rendering/text-size.ts';
import { CodeBlock } from './code-block.tsx';
import { FormulaBlock, loadTypesetter, mayHaveFormula } from './formulas/formula-view.tsx';
import { renderInlines } from './inline-view.tsx';
import { emptyDocument, growDocument, type Section } from './parsing/growing-document.ts';
import type { Block, CalloutKind, List, ListItem } from './parsing/nodes.ts';
import { languageOf, sampleOf } from './reply-language.ts';
import { preserveSelection } from './steady-text.ts';
import { TableView } from './tables/table-view.tsx';

/** `isCut` closes open marks at the end of an incomplete text. */
type MarkdownProps = { text: string; isGrowing: boolean; isCut?: boolean };

/** Renders a reply, or shows its text if that fails. */
export function Markdown(props: MarkdownProps) {
  return (
    <SourceBoundary content={props.text} source={() => props.text}>
      <Sections {...props} />
    </SourceBoundary>
  );
}

/** While the text grows, finished blocks are neither parsed nor rendered again. */
function Sections({ text, isGrowing, isCut = false }: MarkdownProps) {
  const [previous, setPrevious] = useState({ text: '', isGrowing, document: emptyDocument });
  let current = previous;
  if (text !== previous.text || isGrowing !== previous.isGrowing) {
    current = { text, isGrowing, document: growDocument(previous.document, text, isGrowing, { isCut }) };
    setPrevious(current);
  }
  const hasFormula = mayHaveFormula(text);
  useEffect(() => {
    if (hasFormula) loadTypesetter();
  }, [hasFormula]);

  const sample = sampleOf(text);
  const language = useMemo(() => languageOf(sample), [sample]);
  const { sections } = current.document;
  return sections.map((section, index) => (
    <SectionView
      key={section[0]?.start}
      section={section}
      language={language}
      isGrowing={isGrowing && index === sections.length - 1}
      sourceText={(start = section[0]?.start, end = sections[index + 1]?.[0]?.start) => text.slice(start, end)}
    />
  ));
}

export async function loadTypesetterFor(texts: readonly string[]): Promise<void> {
  if (texts.some(mayHaveFormula)) await loadTypesetter();
}

/** A taller section that has grown on this page is always laid out: skipping it would first cost another full layout. */
const maxSkippedPixels = 20_000;

type SectionViewProps = {
  section: Section;
  language: string | undefined;
  isGrowing: boolean;
  /** Returns the source between two offsets in the reply; by default, that of the section. */
  sourceText: (start?: number, end?: number) => string;
};

/** Except in WebKit, the browser skips finished sections outside the viewport (`content-visibility` in markdown.css). */
const SectionView = memo(function SectionView({ section, language, isGrowing, sourceText }: SectionViewProps) {
  const [wasGrowing] = useState(isGrowing);
  const box = useRef<HTMLDivElement>(null);
  // If another script has replaced nodes of the section, a new key makes React create the section again.
  const [rendering, renderAgain] = useReducer((count: number) => count + 1, 0);

  // biome-ignore lint/correctness/useExhaustiveDependencies: each rendering has another element.
  useLayoutEffect(() => {
    const { current } = box;
    current?.addEventListener(nodeMissingEvent, renderAgain);
    return () => current?.removeEventListener(nodeMissingEvent, renderAgain);
  }, [rendering]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: each rendering has another element.
  useLayoutEffect(() => {
    if (isGrowing && box.current !== null) return preserveSelection(box.current);
  }, [isGrowing, rendering]);

  // A section that has grown on this page keeps its measured height as the placeholder, so that what follows does not move.
  // biome-ignore lint/correctness/useExhaustiveDependencies: each rendering has another element.
  useLayoutEffect(() => {
    const { current } = box;
    if (isGrowing || current === null) return;
    const height = wasGrowing ? current.getBoundingClientRect().height : estimatedHeight(sourceText());
    if (wasGrowing && height > maxSkippedPixels) return;
    current.style.containIntrinsicBlockSize = `auto ${height}px`;
    current.classList.add('section-finished');
  }, [wasGrowing, isGrowing, sourceText, rendering]);

  return (
    <div
      key={rendering}
      ref={box}
      lang={language}
      className={wasGrowing ? 'section section-grown' : 'section section-finished'}
    >
      {section.map((block, index) => (
        <SourceBoundary
          key={block.start}
          content={block}
          source={() => sourceText(block.start, section[index + 1]?.start)}
        >
          <BlockView block={block} isGrowing={isGrowing && index === section.length - 1} direction="auto" />
        </SourceBoundary>
      ))}
    </div>
  );
}, isSameSection);

/** `sourceText` is not compared, because the source of a finished section does not change. */
function isSameSection(one: SectionViewProps, other: SectionViewProps): boolean {
  return one.section === other.section && one.language === other.language && one.isGrowing === other.isGrowing;
}

/** `h1` belongs to the page. The first level maps to `h2` too, because most replies start with the second level. */
const headings = ['h2', 'h2', 'h3', 'h4', 'h5', 'h6'] as const;

function BlockList({ blocks, isGrowing }: { blocks: readonly Block[]; isGrowing: boolean }) {
  return blocks.map((block, index) => (
    <BlockView key={block.start} block={block} isGrowing={isGrowing && index === blocks.length - 1} />
  ));
}

type BlockViewProps = {
  block: Block;
  isGrowing: boolean;
  /** Outermost blocks take the direction of their first letter, and nested ones inherit it. */
  direction?: 'auto';
};

const BlockView = memo(function BlockView({ block, isGrowing, direction }: BlockViewProps) {
  switch (block.type) {
    case 'heading': {
      const Heading = headings[block.level - 1] ?? 'h6';
      return (
        <Heading className={`heading heading-${block.level}`} data-start={block.start} dir={direction}>
          {renderInlines(block.children)}
        </Heading>
      );
    }
    case 'paragraph':
      return (
        <p data-start={block.start} dir={direction}>
          {renderInlines(block.children)}
        </p>
      );
    case 'code':
      return <CodeBlock language={block.language} text={block.text} isGrowing={isGrowing} />;
    case 'quote':
      return (
        <blockquote dir={direction}>
          {block.callout && <CalloutName kind={block.callout} />}
          <BlockList blocks={block.blocks} isGrowing={isGrowing} />
        </blockquote>
      );
    case 'list':
      return <ListView list={block} isGrowing={isGrowing} direction={direction} />;
    case 'table':
      return <TableView table={block} isGrowing={isGrowing} direction={direction} />;
    case 'formula':
      return <FormulaBlock tex={block.tex} source={block.source} />;
    case 'rule':
      return <hr />;
  }
});

function CalloutName({ kind }: { kind: CalloutKind }) {
  const t = useTranslations('quotations');
  return (
    <p className={`callout-name callout-${kind}`}>
      <bdi>{t(kind)}</bdi>
    </p>
  );
}

type ListViewProps = { list: List; isGrowing: boolean; direction?: 'auto' | undefined };

function ListView({ list: { isOrdered, items }, isGrowing, direction }: ListViewProps) {
  const children = items.map((item, index) => (
    <ItemView key={item.start} item={item} isGrowing={isGrowing && index === items.length - 1} />
  ));
  if (!isOrdered) return <ul dir={direction}>{children}</ul>;
  const digits = items.reduce((most, { number }) => Math.max(most, String(number).length), 1);
  return (
    <ol dir={direction} style={{ '--digits': digits }}>
      {children}
    </ol>
  );
}

const ItemView = memo(function ItemView({ item, isGrowing }: { item: ListItem; isGrowing: boolean }) {
  const t = useTranslations('tasks');
  const { start, number, isChecked, blocks } = item;
  const content = <BlockList blocks={blocks} isGrowing={isGrowing} />;
  // The numbers are not counted: a list can consist of years, or of days of a month.
  const attributes = { value: number ?? undefined, 'data-start': start };
  if (isChecked === null) return <li {...attributes}>{content}</li>;
  return (
    <li className="task" {...attributes}>
      <span className={isChecked ? 'box box-checked' : 'box'} role="img" aria-label={t(isChecked ? 'done' : 'open')} />
      {content}
    </li>
  );
});

type SourceBoundaryProps = {
  /** The content of `children`. They are rendered again when it changes. */
  content: unknown;
  source: () => string;
  children: ReactNode;
};

/** Shows the source of content that fails to render, so that the rest of the page stays. */
class SourceBoundary extends Component<SourceBoundaryProps, { content: unknown; hasFailed: boolean }> {
  override state = { content: this.props.content, hasFailed: false };

  static getDerivedStateFromError() {
    return { hasFailed: true };
  }

  static getDerivedStateFromProps({ content }: SourceBoundaryProps, state: { content: unknown }) {
    return content === state.content ? null : { content, hasFailed: false };
  }

  override render() {
    const { source, children } = this.props;
    if (!this.state.hasFailed) return children;
    return (
      <p className="plain" dir="auto">
        {source().trimEnd()}
      </p>
    );
  }
}
