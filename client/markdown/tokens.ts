import MarkdownIt, { type Token } from 'markdown-it';
import { breakRules } from './break-rules.ts';
import { closeOpenMarks } from './close-open-marks.ts';
import { formulaRules } from './formula-rules.ts';
import { readLinkTarget } from './link-target.ts';
import { noteRules } from './note-rules.ts';

const markdown = new MarkdownIt({ html: false, linkify: true, breaks: true });

markdown.use(formulaRules).use(noteRules).use(breakRules);
// A definition at the end would change what was shown above it long ago.
markdown.disable('reference');
markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false });
// Addresses are read once, as the browser reads them: where two readers differ, a link leads elsewhere than it was judged by.
markdown.normalizeLink = (address) => readLinkTarget(address)?.href ?? '';
markdown.validateLink = (href) => href !== '';
// The parser's own would show xn--… as the letters that it stands for, which can look like those of another host.
markdown.normalizeLinkText = (address) => address;

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
