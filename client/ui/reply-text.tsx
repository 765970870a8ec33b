import { memo, useSyncExternalStore } from 'react';
import { currentMarkdown, whenMarkdownIsLoaded } from '../markdown/load-markdown.ts';
import { useOncePerFrame } from '../markdown/use-once-per-frame.ts';
import { estimatedHeight } from '../reading/estimated-height.ts';
import { partCharacters, useInParts } from '../reading/use-in-parts.ts';

type ReplyTextProps = { text: string; isGrowing: boolean };

/**
 * The text of a reply, which is Markdown; until what shows Markdown has been fetched, or if it cannot be, as it was written.
 * A long one becomes Markdown in parts, from its beginning on.
 */
export function ReplyText({ text, isGrowing }: ReplyTextProps) {
  const shown = useOncePerFrame(text, !isGrowing);
  const end = useInParts(shown);
  const Markdown = useSyncExternalStore(whenMarkdownIsLoaded, currentMarkdown);
  if (Markdown === undefined) return <PlainText text={shown} />;
  const isWhole = end === shown.length;
  return (
    <>
      <div className="markdown">
        <Markdown text={shown.slice(0, end)} isGrowing={isGrowing || !isWhole} />
      </div>
      {!isGrowing &&
        partStarts(end, shown.length).map((start) => (
          <PlainText key={start} text={shown.slice(start, start + partCharacters)} />
        ))}
    </>
  );
}

/** Where the parts begin that are not drawn yet. The browser lays out only those that are in view. */
function partStarts(start: number, end: number): number[] {
  return Array.from(
    { length: Math.ceil((end - start) / partCharacters) },
    (_, index) => start + index * partCharacters,
  );
}

const PlainText = memo(function PlainText({ text }: { text: string }) {
  return (
    <p className="plain" dir="auto" style={{ containIntrinsicBlockSize: `auto ${estimatedHeight(text)}px` }}>
      {text}
    </p>
  );
});
