import { memo, useEffect, useState, useSyncExternalStore } from 'react';
import { estimatedHeight } from '../markdown/estimated-height.ts';
import { currentMarkdown, whenMarkdownIsLoaded } from '../markdown/load-markdown.ts';
import type { Markdown } from '../markdown/markdown.tsx';
import { partCharacters } from '../reading/text-weight.ts';
import { useInParts } from '../reading/use-in-parts.ts';

type ReplyTextProps = { text: string; isGrowing: boolean; isCut: boolean };

/** The text of a reply, which is Markdown; as it was written only where what shows Markdown cannot be had, or takes too long. */
export function ReplyText({ text, isGrowing, isCut }: ReplyTextProps) {
  const shown = useOncePerFrame(text, !isGrowing);
  const Markdown = useSyncExternalStore(whenMarkdownIsLoaded, currentMarkdown);
  if (Markdown === undefined) return null;
  if (Markdown === 'missing') return <PlainText text={shown} />;
  return <TextInParts text={shown} isGrowing={isGrowing} isCut={isCut} Markdown={Markdown} />;
}

type TextInPartsProps = ReplyTextProps & { Markdown: typeof Markdown };

/** A long text becomes Markdown in parts, from its beginning on. */
function TextInParts({ text, isGrowing, isCut, Markdown }: TextInPartsProps) {
  const end = useInParts(text);
  const isWhole = end === text.length;
  return (
    <>
      <div className="markdown">
        <Markdown text={text.slice(0, end)} isGrowing={isGrowing || !isWhole} isCut={isCut} />
      </div>
      {!isGrowing &&
        partStarts(end, text.length).map((start) => (
          <PlainText key={start} text={text.slice(start, start + partCharacters)} />
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

/**
 * A `value` that changes often, taken over at most once a frame. Once `isFinal`, it is the value itself: a hidden page has
 * no frames, and the last word must not wait for one.
 */
function useOncePerFrame<Value>(value: Value, isFinal: boolean): Value {
  const [shown, setShown] = useState(value);

  useEffect(() => {
    if (isFinal) return;
    const frame = requestAnimationFrame(() => setShown(() => value));
    return () => cancelAnimationFrame(frame);
  }, [value, isFinal]);

  return isFinal ? value : shown;
}
