import { useSyncExternalStore } from 'react';
import { currentMarkdown, whenMarkdownIsLoaded } from '../markdown/load-markdown.ts';
import { useOncePerFrame } from '../markdown/use-once-per-frame.ts';

type ReplyTextProps = { text: string; isGrowing: boolean };

/** The text of a reply, which is Markdown; until what shows Markdown has been fetched, or if it cannot be, as it was written. */
export function ReplyText({ text, isGrowing }: ReplyTextProps) {
  const shown = useOncePerFrame(text, !isGrowing);
  const Markdown = useSyncExternalStore(whenMarkdownIsLoaded, currentMarkdown);
  return (
    <div className="markdown">
      {Markdown === undefined ? (
        <p className="plain" dir="auto">
          {shown}
        </p>
      ) : (
        <Markdown text={shown} isGrowing={isGrowing} />
      )}
    </div>
  );
}
