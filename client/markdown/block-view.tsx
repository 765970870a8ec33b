import { type CSSProperties, memo } from 'react';
import { CodeBlock } from './code-block.tsx';
import { FormulaBlock } from './formula-view.tsx';
import { inlineViews } from './inline-view.tsx';
import type { Block, List, ListItem } from './nodes.ts';
import { NoteView } from './notes.tsx';
import { TableView } from './table-view.tsx';

/** The first level is the page's own; most replies begin with the second, and none of it is to be skipped. */
const headings = ['h2', 'h2', 'h3', 'h4', 'h5', 'h6'] as const;

type BlockListProps = {
  blocks: readonly Block[];
  /** Whether more may be added to the last of them. */
  isGrowing: boolean;
  /** Each outermost block goes by its own first letter; what is within follows it. */
  direction?: 'auto' | undefined;
};

export function BlockList({ blocks, isGrowing, direction }: BlockListProps) {
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
          <BlockList blocks={block.blocks} isGrowing={isGrowing} />
        </blockquote>
      );
    case 'list':
      return <ListView list={block} isGrowing={isGrowing} direction={direction} />;
    case 'table':
      return <TableView table={block} isGrowing={isGrowing} direction={direction} />;
    case 'formula':
      return <FormulaBlock tex={block.tex} written={block.written} />;
    case 'note':
      return (
        <NoteView label={block.label} direction={direction}>
          <BlockList blocks={block.blocks} isGrowing={isGrowing} />
        </NoteView>
      );
    case 'rule':
      return <hr />;
  }
});

/** The stylesheet leaves room for numbers of so many digits. */
type NumberedStyle = CSSProperties & { '--digits': number };

type ListViewProps = { list: List; isGrowing: boolean; direction: 'auto' | undefined };

function ListView({ list: { firstNumber, items }, isGrowing, direction }: ListViewProps) {
  const children = items.map((item, index) => (
    <ItemView key={item.start} item={item} isGrowing={isGrowing && index === items.length - 1} />
  ));
  if (firstNumber === null) return <ul dir={direction}>{children}</ul>;
  const style: NumberedStyle = { '--digits': String(firstNumber + items.length - 1).length };
  return (
    <ol dir={direction} start={firstNumber} style={style}>
      {children}
    </ol>
  );
}

const ItemView = memo(function ItemView({ item, isGrowing }: { item: ListItem; isGrowing: boolean }) {
  const { isChecked, blocks } = item;
  const content = <BlockList blocks={blocks} isGrowing={isGrowing} />;
  if (isChecked === null) return <li>{content}</li>;
  return (
    <li className="task">
      <span className={isChecked ? 'box box-checked' : 'box'} role="img" aria-label={isChecked ? 'Done' : 'Not done'} />
      {content}
    </li>
  );
});
