import MarkdownIt, { type MarkdownIt as Parser, type StateCore, type Token } from 'markdown-it';
import { closeOpenMarks } from './close-open-marks.ts';
import { characterAfter, characterBefore, flankingOf } from './flanking.ts';
import { formulaRules } from './formulas.ts';
import { largeTableRule } from './large-tables.ts';
import { readLinkTarget } from './link-target.ts';

/** The one parser of replies. What a reply may hold is decided here, for the page and for what is copied alike. */
export const markdown = new MarkdownIt({ html: false, linkify: true, breaks: true });

// A definition at the end would change what was shown above it long ago.
markdown.disable('reference');
markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false });
// Addresses are read once, as the browser reads them: where two readers differ, a link leads elsewhere than it was judged by.
markdown.normalizeLink = (address) => readLinkTarget(address)?.href ?? '';
markdown.validateLink = (href) => href !== '';
// The parser's own would show xn--… as the letters that it stands for, which can look like those of another host.
markdown.normalizeLinkText = (address) => address;

/** Emphasis goes by the same rules here and in a text that grows. */
markdown.inline.State = class extends markdown.inline.State {
  override scanDelims(start: number) {
    const mark = this.src.charAt(start);
    let end = start;
    while (end < this.posMax && this.src.charAt(end) === mark) end += 1;
    const after = characterAfter(this.src.slice(0, this.posMax), end);
    const { canOpen, canClose } = flankingOf(mark, characterBefore(this.src, start), after);
    return { can_open: canOpen, can_close: canClose, length: end - start };
  }
};

/** A longer text of a link is none. */
const maxLabelCharacters = 1000;
/** Brackets in the code or the formula of a label may be without a partner: so many are let pass. */
const maxUnclosed = 4;
const maxOpen = 20;

/** Whether a link's text may begin with the bracket at `start`. The parser itself would look as far as the text goes, for each bracket. */
function mayBeginLink(text: string, start: number): boolean {
  const most = Math.min(text.length, start + maxLabelCharacters);
  let open = 0;
  for (let index = start; index < most; index += 1) {
    const character = text.charAt(index);
    if (character === '\\') index += 1;
    else if (character === '[') {
      open += 1;
      if (open > maxOpen) return false;
    } else if (character === ']') {
      open -= 1;
      if (open < maxUnclosed && text.charAt(index + 1) === '(') return true;
    }
  }
  return false;
}

/** A bracket that begins no link is text. */
function bracketRule(parser: Parser): void {
  parser.inline.ruler.before('link', 'bracket', (state, silent) => {
    const mark = state.src.startsWith('![', state.pos) ? '![' : '[';
    if (!state.src.startsWith(mark, state.pos) || mayBeginLink(state.src, state.pos + mark.length - 1)) return false;
    if (!silent) state.pending += mark;
    state.pos += mark.length;
    return true;
  });
}

markdown.use(bracketRule).use(formulaRules).use(breakRule).use(largeTableRule);
markdown.core.ruler.after('block', 'alerts', nameAlerts);
markdown.core.ruler.after('alerts', 'close-open-marks', closeMarks);
markdown.core.ruler.push('links', ({ tokens }) => {
  for (const token of tokens) if (token.children) token.children = withPlainLinks(token.children);
});
markdown.core.ruler.push('tasks', markTasks);

/** The parser's flat tokens for a text; with `isGrowing` or `isCut`, marks that its end leaves open are closed. */
export function readTokens(text: string, state: { isGrowing: boolean; isCut?: boolean }): Token[] {
  return markdown.parse(text, state);
}

/** The one tag that means something in a reply: there is no other way to write two lines in a cell of a table. */
const lineBreak = /<br[ \t]*\/?>[ \t]*\n?[ \t]*/iy;

/** `<br>` is the same token that a line's end is. One that stands before a line's end is a single break. */
function breakRule(parser: Parser): void {
  parser.inline.ruler.before('autolink', 'line_break', (state, silent) => {
    lineBreak.lastIndex = state.pos;
    if (!lineBreak.test(state.src) || lineBreak.lastIndex > state.posMax) return false;
    const end = lineBreak.lastIndex;
    if (!silent) {
      state.pending = state.pending.trimEnd();
      state.push('hardbreak', 'br', 0);
    }
    state.pos = end;
    return true;
  });
}

const alertMark = /^\[!(note|tip|important|warning|caution)\](?:[ \t]+|\n|$)/i;

/** A quotation that begins with `[!NOTE]` has that for its `info`, and no longer in its text. */
function nameAlerts({ tokens }: StateCore): void {
  for (const [index, token] of tokens.entries()) {
    if (token.type !== 'blockquote_open') continue;
    const [opening, inline, closing] = tokens.slice(index + 1, index + 4);
    const found = alertMark.exec(inline?.content ?? '');
    if (opening?.type !== 'paragraph_open' || !inline || !closing || found === null) continue;
    token.info = (found[1] ?? '').toLowerCase();
    inline.content = inline.content.slice(found[0].length);
    if (inline.content === '') for (const part of [opening, inline, closing]) part.hidden = true;
  }
}

function closeMarks({ env, tokens }: StateCore): void {
  const isCut = env.isCut === true;
  if (env.isGrowing !== true && !isCut) return;
  const last = tokens.findLast((token) => token.nesting === 0 && !isEmptyCell(token));
  if (last?.type === 'inline') last.content = closeOpenMarks(last.content, { isCut });
}

function isEmptyCell({ type, content, hidden }: Token): boolean {
  return type === 'inline' && content === '' && !hidden;
}

/** The same line with links that show a text of their own. An image is never loaded: it becomes a link to it. */
function withPlainLinks(tokens: readonly Token[]): Token[] {
  const made: Token[] = [];
  const linkTo = (href: unknown, inner: readonly Token[]) => {
    const isBlank = inner.every(({ content, nesting }) => nesting !== 0 || /^[\s\p{Cf}]*$/u.test(content));
    const text = isBlank ? [newToken('text', { content: String(href) })] : inner;
    made.push(newToken('link_open', { tag: 'a', nesting: 1, attrs: [['href', String(href)]] }));
    made.push(...text, newToken('link_close', { tag: 'a', nesting: -1 }));
  };
  let link: { href: unknown; inner: Token[] } | undefined;
  for (const token of tokens) {
    if (token.type === 'link_open') link = { href: token.attrGet('href'), inner: [] };
    else if (token.type === 'link_close') {
      linkTo(link?.href, link?.inner ?? []);
      link = undefined;
    } else if (link !== undefined) link.inner.push(...asLinkText(token));
    else if (token.type === 'image') linkTo(token.attrGet('src'), asLinkText(token));
    else made.push(token);
  }
  return made;
}

/** They can make the text of a link read as another address than the one that it spells. */
const directionMarks = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/g;

/** A token as it may stand in a link. A link in it, an image's too, leaves its text: the outer one stands. */
function asLinkText(token: Token): Token[] {
  if (token.type === 'image') return (token.children ?? []).flatMap(asLinkText);
  if (token.type === 'link_open' || token.type === 'link_close') return [];
  // A formula cannot be pressed in a link, nor hide a direction mark in it.
  const isFormula = token.type === 'formula_inline';
  const content = (isFormula ? token.markup : token.content).replace(directionMarks, '');
  return isFormula ? [newToken('text', { content })] : [Object.assign(token, { content })];
}

/** The box of a list item, `[ ]` or `[x]`, is a token `task` in the place of its letters. */
function markTasks({ tokens }: StateCore): void {
  for (const [index, token] of tokens.entries()) {
    if (token.type !== 'list_item_open' || tokens[index + 1]?.type !== 'paragraph_open') continue;
    const children = tokens[index + 2]?.children;
    const text = children?.[0];
    const box = text?.type === 'text' ? /^\[([ xX])\](?:\s+|$)/.exec(text.content) : null;
    if (!children || !text || box === null) continue;
    text.content = text.content.slice(box[0].length);
    children.unshift(newToken('task', { markup: box[1] ?? '' }));
  }
}

function newToken(type: string, fields: Partial<Token>): Token {
  return Object.assign(new MarkdownIt.Token(type, '', 0), fields);
}
