import { blocksHtml } from './blocks-html.ts';
import { readBlocks } from './read-blocks.ts';

/** A Markdown text as HTML for another program. */
export function replyHtml(text: string): string {
  return blocksHtml(readBlocks(text));
}
