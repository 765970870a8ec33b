import { memo, useEffect, useState, useSyncExternalStore } from 'react';
import { currentMarkdown, subscribeToMarkdown } from '../../markdown/load-markdown.ts';
import type { Markdown } from '../../markdown/markdown.tsx';
import { estimatedHeight, partCharacters, partEnd } from '../../rendering/text-size.ts';
import { whenIdle } from '../../rendering/when-idle.ts';

type ReplyTextProps = { text: string; isGrowing: boolean; isCut: boolean };

/** Renders a reply as Markdown, or as plain text if the Markdown renderer cannot be loaded or takes too long. */
export function ReplyText({ text, isGrowing, isCut }: ReplyTextProps) {
  const throttled = useOncePerFrame(text, !isGrowing);
  const Markdown = useSyncExternalStore(subscribeToMarkdown, currentMarkdown);
  if (Markdown === undefined) return null;
  if (Markdown === 'missing') return <PlainText text={throttled} start={0} />;
  return <TextInParts text={throttled} isGrowing={isGrowing} isCut={isCut} Markdown={Markdown} />;
}

type TextInPartsProps = ReplyTextProps & { Markdown: typeof Markdown };

/** Renders a long text in steps, so that no single render blocks the page. The rest is plain text until then. */
function TextInParts({ text, isGrowing, isCut, Markdown }: TextInPartsProps) {
  const end = useRenderedLength(text);
  const isComplete = end === text.length;
  return (
    <>
      <div className="markdown">
        <Markdown text={text.slice(0, end)} isGrowing={isGrowing || !isComplete} isCut={isCut} />
      </div>
      {!isGrowing &&
        partStarts(end, text.length).map((start) => (
          <PlainText key={start} text={text.slice(start, start + partCharacters)} start={start} />
        ))}
    </>
  );
}

/** Returns the offsets of the plain-text parts. Except in WebKit, the browser lays out only those near the viewport. */
function partStarts(start: number, end: number): number[] {
  return Array.from(
    { length: Math.ceil((end - start) / partCharacters) },
    (_, index) => start + index * partCharacters,
  );
}

/** `start` is the offset of `text` in the reply. */
const PlainText = memo(function PlainText({ text, start }: { text: string; start: number }) {
  return (
    <p
      className="plain"
      data-start={start}
      dir="auto"
      style={{ containIntrinsicBlockSize: `auto ${estimatedHeight(text)}px` }}
    >
      {text}
    </p>
  );
});

/**
 * Updates the value once per frame; returns the value itself once `isFinal`, because a hidden page has no frames. Never returns an
 * older value than before: a continuation makes a final text grow again.
 */
function useOncePerFrame(value: string, isFinal: boolean): string {
  const [latest, setLatest] = useState(value);
  if (isFinal && latest !== value) setLatest(value);

  useEffect(() => {
    if (isFinal) return;
    const frame = requestAnimationFrame(() => setLatest(value));
    return () => cancelAnimationFrame(frame);
  }, [value, isFinal]);

  return isFinal ? value : latest;
}

/** Returns how many characters of `text` to render now. A long text is rendered in parts, one at each idle moment. */
function useRenderedLength(text: string): number {
  const [renderedEnd, setRenderedEnd] = useState(() => partEnd(text, 0));
  const next = partEnd(text, renderedEnd);
  const isNearlyDone = next >= text.length;
  const end = isNearlyDone ? text.length : renderedEnd;
  if (isNearlyDone && text.length > renderedEnd) setRenderedEnd(text.length);

  useEffect(() => {
    if (isNearlyDone) return;
    return whenIdle(() => setRenderedEnd(next));
  }, [isNearlyDone, next]);

  return end;
}
