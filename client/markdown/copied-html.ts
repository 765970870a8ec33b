import type { Token } from 'markdown-it';
import { formulaMarkup } from './formulas/typeset-formula.ts';
import { type LinkTarget, namesOtherDestination, readLinkTarget } from './parsing/link-target.ts';
import { markdown, newToken, readTokens } from './parsing/parser.ts';
import { formulaGuard } from './tables/table-text.ts';

type HtmlOptions = {
  /** The level that first-level headings get, so that they nest below the headings of the surrounding document. */
  topLevel?: number;
};

/**
 * Returns HTML for other programs, such as Word. All text is escaped, and `readLinkTarget` has accepted every URL. The destination of a
 * misleading link is beside it, as on the page.
 */
export function copiedHtml(text: string, { topLevel = 1 }: HtmlOptions = {}): string {
  const tokens = readTokens(text, { isGrowing: false });
  /** The current outermost block until its first letter is found. */
  let block: Token | undefined;
  for (const token of tokens) {
    if (token.level === 0 && token.nesting === 1) block = token;
    const letter = token.type === 'inline' ? /\p{L}/u.exec(token.content)?.[0] : undefined;
    if (letter === undefined) continue;
    // The first letter determines the direction, as `dir="auto"` does on the page. Other programs do not support `auto`.
    if (/[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC]/.test(letter)) block?.attrSet('dir', 'rtl');
    block = undefined;
  }
  for (const [index, token] of tokens.entries()) {
    adaptForOtherPrograms(token, topLevel);
    if (token.children) token.children = withDestinations(token.children);
    if (token.type === 'th_open' || token.type === 'td_open') guardFormulas(tokens[index + 1]?.children ?? []);
  }
  return markdown.renderer.render(tokens, markdown.options, {}).trimEnd();
}

function adaptForOtherPrograms(token: Token, topLevel: number): void {
  if (token.type.startsWith('heading')) token.tag = `h${Math.min(6, Number(token.tag.slice(1)) - 1 + topLevel)}`;
  // Programs that do not support `value` count from the list's `start`.
  if (token.type === 'list_item_open' && token.info !== '') token.attrSet('value', token.info);
  // Word processors draw no borders otherwise.
  if (token.type === 'table_open')
    token.attrs = [...(token.attrs ?? []), ['border', '1'], ['cellpadding', '4'], ['cellspacing', '0']];
  // Copying an inline style would violate the page's Content-Security-Policy.
  const style = token.attrGet('style')?.toString();
  if (style !== undefined) token.attrs = [['align', style.slice('text-align:'.length)]];
  // Removes the class that names the language, for which other programs have no styles.
  if (token.type === 'fence') token.info = '';
}

function withDestinations(tokens: readonly Token[]): Token[] {
  let target: LinkTarget | undefined;
  let text = '';
  return tokens.flatMap((token) => {
    if (token.type === 'link_open') {
      target = readLinkTarget(String(token.attrGet('href')));
      text = '';
    } else if (token.type === 'link_close' && target && namesOtherDestination(text, target)) {
      return [newToken('text', { content: ` (${target.destination})` }), token];
    } else {
      text += token.content;
    }
    return [token];
  });
}

/** Spreadsheets paste a table into cells, and would run a line that starts like a formula. */
function guardFormulas(cell: readonly Token[]): void {
  let line: Token[] = [];
  for (const token of cell) {
    if (token.type === 'hardbreak') {
      guardLine(line);
      line = [];
    } else line.push(token);
  }
  guardLine(line);
}

function guardLine(line: readonly Token[]): void {
  const text = line.map(({ content }) => content).join('');
  const first = line.find(({ content }) => content !== '');
  if (first) first.content = formulaGuard(text) + first.content;
}

function formulaHtml(tex: string, isDisplay: boolean): string {
  return formulaMarkup(tex, isDisplay) ?? `<code>${escapeHtml(tex)}</code>`;
}

export const { escapeHtml } = markdown.utils;

const { rules } = markdown.renderer;

rules.formula_inline = (tokens, index) => formulaHtml(tokens[index]?.content ?? '', false);
rules.formula_block = (tokens, index) => `<p>${formulaHtml(tokens[index]?.content ?? '', true)}</p>\n`;
rules.task = (tokens, index) => (tokens[index]?.markup === ' ' ? '☐ ' : '☑ ');
rules.blockquote_open = (tokens, index, options, _env, renderer) => {
  const kind = tokens[index]?.info ?? '';
  const name = kind === '' ? '' : `<p><strong>${kind.charAt(0).toUpperCase()}${kind.slice(1)}</strong></p>\n`;
  return renderer.renderToken(tokens, index, options) + name;
};
