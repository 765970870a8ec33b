import MarkdownIt, { type Token } from 'markdown-it';
import { closeOpenMarks } from './close-open-marks.ts';
import { isSafeLink } from './safe-link.ts';

const markdown = new MarkdownIt({ html: false, linkify: true, breaks: true });

// A definition at the end would change what was shown above it long ago.
markdown.disable('reference');
markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false });
markdown.validateLink = isSafeLink;

markdown.core.ruler.after('block', 'close-open-marks', ({ env, tokens }) => {
  if (env.isGrowing !== true) return;
  const last = tokens.findLast((token) => token.nesting === 0 && !isEmptyCell(token));
  if (last?.type === 'inline') last.content = closeOpenMarks(last.content);
});

/** The parser's flat tokens for a text; with `isGrowing`, marks that its end leaves open are closed. */
export function readTokens(text: string, { isGrowing }: { isGrowing: boolean }): Token[] {
  return markdown.parse(text, { isGrowing });
}

function isEmptyCell({ type, content }: Token): boolean {
  return type === 'inline' && content === '';
}
