import type { Token } from 'markdown-it';
import { markdown, readTokens } from './parser.ts';

type HtmlOptions = {
  /** What level a heading of the first level gets, below those of the document that it stands in. */
  topLevel?: number;
};

/**
 * A Markdown text as HTML for another program, Word or a mail, by the parser's own renderer: every text is escaped, and every
 * address is one that `readLinkTarget` let through.
 */
export function copiedHtml(text: string, { topLevel = 1 }: HtmlOptions = {}): string {
  const tokens = readTokens(text, { isGrowing: false });
  /** The outermost block of which no letter has come yet. */
  let block: Token | undefined;
  for (const token of tokens) {
    if (token.level === 0 && token.nesting === 1) block = token;
    const letter = token.type === 'inline' ? /\p{L}/u.exec(token.content)?.[0] : undefined;
    if (letter === undefined) continue;
    // The first letter that has a direction decides it, as it does in the window; other programs do not look for it.
    if (/[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC]/.test(letter)) block?.attrSet('dir', 'rtl');
    block = undefined;
  }
  for (const token of tokens) adapt(token, topLevel);
  return markdown.renderer.render(tokens, markdown.options, {}).trimEnd();
}

/** Attributes that other programs know. No styles: a browser judges them by the page's own policy, and refuses them. */
function adapt(token: Token, topLevel: number): void {
  if (token.type.startsWith('heading')) token.tag = `h${Math.min(6, Number(token.tag.slice(1)) - 1 + topLevel)}`;
  // A word processor would leave the lines of a table out.
  if (token.type === 'table_open')
    token.attrs = [...(token.attrs ?? []), ['border', '1'], ['cellpadding', '4'], ['cellspacing', '0']];
  const style = token.attrGet('style')?.toString();
  if (style !== undefined) token.attrs = [['align', style.slice('text-align:'.length)]];
  // Colours are the page's.
  if (token.type === 'fence') token.info = '';
}

/** A text as it can stand in HTML, in an element or in a quoted attribute. */
export const { escapeHtml } = markdown.utils;

const { rules } = markdown.renderer;

// A formula is its TeX: where MathML is not known, its letters alone are left, and x² reads x2.
rules.formula_inline = (tokens, index) => `<code>${escapeHtml(tokens[index]?.content ?? '')}</code>`;
rules.formula_block = (tokens, index) => `<p><code>${escapeHtml(tokens[index]?.content ?? '')}</code></p>\n`;
rules.task = (tokens, index) => (tokens[index]?.markup === ' ' ? '☐ ' : '☑ ');
rules.blockquote_open = (tokens, index, options, _env, renderer) => {
  const alert = tokens[index]?.info ?? '';
  const name = alert === '' ? '' : `<p><strong>${alert.charAt(0).toUpperCase()}${alert.slice(1)}</strong></p>\n`;
  return renderer.renderToken(tokens, index, options) + name;
};
