import { memo, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { BlockList } from './block-view.tsx';
import { emptyDocument, growDocument, type Section } from './growing-document.ts';
import { loadTypesetter, mayHaveFormula } from './load-typesetter.ts';
import { InReply } from './notes.tsx';

type MarkdownProps = { text: string; isGrowing: boolean };

/** A Markdown text as elements. While it grows, what is finished is neither read nor drawn again. */
export function Markdown({ text, isGrowing }: MarkdownProps) {
  const [shown, setShown] = useState({ text: '', isGrowing, document: emptyDocument });
  let current = shown;
  if (text !== shown.text || isGrowing !== shown.isGrowing) {
    current = { text, isGrowing, document: growDocument(shown.document, text, isGrowing) };
    setShown(current);
  }
  const hasFormula = mayHaveFormula(text);
  useEffect(() => {
    if (hasFormula) loadTypesetter();
  }, [hasFormula]);

  const { sections } = current.document;
  return (
    <InReply blocks={sections.flat()}>
      {sections.map((section, index) => (
        <SectionView key={section[0]?.start} section={section} isGrowing={isGrowing && index === sections.length - 1} />
      ))}
    </InReply>
  );
}

/** What is higher, a table of a thousand rows, say, would be laid out as a whole once more. */
const mostSparedPixels = 20_000;

type SectionViewProps = { section: Section; isGrowing: boolean };

/** What is finished and out of view costs the browser nothing either: it is neither laid out nor painted. */
const SectionView = memo(function SectionView({ section, isGrowing }: SectionViewProps) {
  const [wasGrowing] = useState(isGrowing);
  const box = useRef<HTMLDivElement>(null);

  // What has grown here is as high as it is: its place holder takes over its height, and what follows stays where it is.
  useLayoutEffect(() => {
    const { current } = box;
    if (!wasGrowing || isGrowing || current === null) return;
    const { height } = current.getBoundingClientRect();
    if (height > mostSparedPixels) return;
    current.style.containIntrinsicBlockSize = `auto ${height}px`;
    current.classList.add('section-finished');
  }, [wasGrowing, isGrowing]);

  return (
    <div ref={box} className={wasGrowing ? 'section' : 'section section-finished'}>
      <BlockList blocks={section} isGrowing={isGrowing} direction="auto" />
    </div>
  );
});
