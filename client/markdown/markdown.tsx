import { useState } from 'react';
import { BlockList } from './block-view.tsx';
import { emptyDocument, growDocument } from './growing-document.ts';

type MarkdownProps = { text: string; isGrowing: boolean };

/** A Markdown text as elements. While it grows, what is finished is neither read nor drawn again. */
export function Markdown({ text, isGrowing }: MarkdownProps) {
  const [shown, setShown] = useState({ text: '', isGrowing, document: emptyDocument });
  let current = shown;
  if (text !== shown.text || isGrowing !== shown.isGrowing) {
    current = { text, isGrowing, document: growDocument(shown.document, text, isGrowing) };
    setShown(current);
  }
  return <BlockList blocks={current.document.blocks} isGrowing={isGrowing} direction="auto" />;
}
