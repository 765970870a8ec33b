import MarkdownIt, { type MarkdownIt as Parser, type StateCore, type Token } from 'markdown-it';
import { closeOpenMarks } from './close-open-marks.ts';
import { flankingOf, matchesAt } from './flanking.ts';
import { formulaRules } from './formulas.ts';
import { readLinkTarget } from './link-target.ts';
import { replaceLiteralMarks, restoreLiteralMarks } from './literal-marks.ts';
import { markdownFenceRule } from './markdown-fence.ts';
import { numberedItemRule } from './numbered-items.ts';
import { tableRule } from './table-rule.ts';

/** The only parser of replies, for the page and for copied HTML. It defines what a reply can contain. */
export const markdown = new MarkdownIt({ html: false, linkify: true, breaks: true });

// A reference definition at the end of a growing text would change links that are already shown. Hyphens below a paragraph are meant
// as a rule, and would turn its last line into a heading.
markdown.disable(['reference', 'lheading']);
markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false });

/** A bare URL ends before a character of these scripts, which can follow it without a space. */
const bareAddress =
  /[^\s\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{scx=Bopomofo}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]*/uy;

for (const scheme of ['http:', 'https:']) {
  markdown.linkify.add(scheme, {
    validate: (text, start, { re }) => {
      bareAddress.lastIndex = start;
      bareAddress.test(text);
      const validator = re.get_http_validator();
      validator.lastIndex = start;
      return validator.exec(text.slice(0, bareAddress.lastIndex))?.[0].length ?? 0;
    },
  });
}

// URLs are parsed by the browser's parser only. A second parser could disagree, and the link would have another target than the
// one that was checked.
markdown.normalizeLink = (address) => readLinkTarget(address)?.href ?? '';
// `withPlainLinks` removes links whose URL was refused.
markdown.validateLink = () => true;
// The default decodes Punycode (xn--…), which can look like another host.
markdown.normalizeLinkText = (address) => address;

/** Applies the rules for emphasis that `closeOpenMarks` applies to a growing text. */
markdown.inline.State = class extends markdown.inline.State {
  override scanDelims(start: number) {
    const mark = this.src.charAt(start);
    let end = start;
    while (end < this.posMax && this.src.charAt(end) === mark) end += 1;
    const { canOpen, canClose } = flankingOf(this.src.slice(0, this.posMax), start, end);
    return { can_open: canOpen, can_close: canClose, length: end - start };
  }
};

const maxLabelCharacters = 1000;
/** Code and formulas in a label can contain unbalanced brackets. */
const maxUnclosedBrackets = 4;
const maxOpenBrackets = 20;

/** Without this check, the parser would search for the end of a link at each bracket, up to the end of the text. */
function canStartLink(text: string, start: number): boolean {
  const maxEnd = Math.min(text.length, start + maxLabelCharacters);
  let open = 0;
  for (let index = start; index < maxEnd; index += 1) {
    const character = text.charAt(index);
    if (character === '\\') index += 1;
    else if (character === '[') {
      open += 1;
      if (open > maxOpenBrackets) return false;
    } else if (character === ']') {
      open -= 1;
      if (open < maxUnclosedBrackets && text.charAt(index + 1) === '(') return true;
    }
  }
  return false;
}

function bracketRule(parser: Parser): void {
  parser.inline.ruler.before('link', 'bracket', (state, silent) => {
    const mark = state.src.startsWith('![', state.pos) ? '![' : '[';
    if (!state.src.startsWith(mark, state.pos) || canStartLink(state.src, state.pos + mark.length - 1)) return false;
    if (!silent) state.pending += mark;
    state.pos += mark.length;
    return true;
  });
}

for (const rule of [bracketRule, formulaRules, breakRule, tableRule, markdownFenceRule, numberedItemRule, depthRule]) {
  markdown.use(rule);
}
markdown.core.ruler.after('block', 'callouts', readCalloutMarkers);
markdown.core.ruler.after('callouts', 'close-open-marks', closeMarks);
markdown.core.ruler.before('block', 'replace-literal-marks', (state) => {
  state.src = replaceLiteralMarks(state.src, state.env.continuesList === true);
});
markdown.core.ruler.after('block', 'restore-literal-marks', ({ tokens }) => {
  for (const token of tokens) {
    for (const field of ['content', 'markup', 'info'] as const) token[field] = restoreLiteralMarks(token[field]);
  }
});
markdown.core.ruler.push('links', ({ tokens }) => {
  for (const token of tokens) if (token.children) token.children = withPlainLinks(token.children);
});
markdown.core.ruler.push('tasks', markTasks);

type ReadingState = { isGrowing?: boolean; isCut?: boolean; continuesList?: boolean };

export function readTokens(text: string, state: ReadingState): Token[] {
  return markdown.parse(text, state);
}

/** Deeper quotations and lists are text, because their indentation would leave no space for it. A list counts twice. */
const maxDepth = 16;

/** Without this rule, the parser would drop the text inside a hundred nested quotations. */
function depthRule(parser: Parser): void {
  parser.block.ruler.before('table', 'depth', (state, startLine, endLine) => {
    if (state.level < maxDepth) return false;
    let line = startLine + 1;
    while (line < endLine && !state.isEmpty(line) && (state.sCount[line] ?? 0) >= state.blkIndent) line += 1;
    state.line = line;
    const map: [number, number] = [startLine, line];
    state.push('paragraph_open', 'p', 1).map = map;
    const content = state.getLines(startLine, line, state.blkIndent, false).trim();
    Object.assign(state.push('inline', '', 0), { content, map, children: [] });
    state.push('paragraph_close', 'p', -1);
    return true;
  });
}

/** The only HTML tag that replies support, because Markdown has no other line break in a table cell. */
const lineBreak = /<br[ \t]*\/?>[ \t]*\n?[ \t]*/iy;

/** Parses `<br>` as a line break. Together with a line end after it, it is a single break. */
function breakRule(parser: Parser): void {
  parser.inline.ruler.before('autolink', 'line_break', (state, silent) => {
    if (!matchesAt(lineBreak, state.src, state.pos) || lineBreak.lastIndex > state.posMax) return false;
    const end = lineBreak.lastIndex;
    if (!silent) {
      state.pending = state.pending.trimEnd();
      state.push('hardbreak', 'br', 0);
    }
    state.pos = end;
    return true;
  });
}

const calloutMarker = /^\[!(note|tip|important|warning|caution)\](?:[ \t]+|\n|$)/i;

/** Moves the marker of a callout, such as `[!NOTE]`, from its text to its `info`. */
function readCalloutMarkers({ tokens }: StateCore): void {
  for (const [index, token] of tokens.entries()) {
    if (token.type !== 'blockquote_open') continue;
    const [opening, inline, closing] = tokens.slice(index + 1, index + 4);
    const found = calloutMarker.exec(inline?.content ?? '');
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

/** Reduces a link with a refused URL to its text. Images become links, so that they are never loaded. */
function withPlainLinks(tokens: readonly Token[]): Token[] {
  const output: Token[] = [];
  const linkTo = (href: unknown, inner: readonly Token[]) => {
    const isBlank = inner.every(({ content, nesting }) => nesting !== 0 || /^[\s\p{Cf}]*$/u.test(content));
    const text = isBlank ? [newToken('text', { content: String(href) })] : inner;
    output.push(newToken('link_open', { tag: 'a', nesting: 1, attrs: [['href', String(href)]] }));
    output.push(...text, newToken('link_close', { tag: 'a', nesting: -1 }));
  };
  let link: { opening: Token; inner: Token[] } | undefined;
  for (const token of tokens) {
    if (token.type === 'link_open') link = { opening: token, inner: [] };
    else if (token.type === 'link_close' && link !== undefined) {
      const { opening, inner } = link;
      const href = opening.attrGet('href');
      if (href) linkTo(href, inner.flatMap(asLinkText));
      else if (opening.markup === 'autolink') output.push(newToken('text', { content: `<${inner[0]?.content}>` }));
      else output.push(...withPlainLinks(inner));
      link = undefined;
    } else if (link !== undefined) link.inner.push(token);
    else if (token.type === 'image' && token.attrGet('src')) linkTo(token.attrGet('src'), asLinkText(token));
    else if (token.type === 'image') output.push(...asLinkText(token));
    else output.push(token);
  }
  return output;
}

/** Direction marks can make the text of a link look like another address. */
const directionMarks = /\p{Bidi_Control}/gu;

/** Reduces nested links and images to their text, because links cannot be nested. */
function asLinkText(token: Token): Token[] {
  if (token.type === 'image') return (token.children ?? []).flatMap(asLinkText);
  if (token.type === 'link_open' || token.type === 'link_close') return [];
  // Formulas are shown as source: MathML in a link is not clickable, and could contain direction marks.
  const isFormula = token.type === 'formula_inline';
  const content = (isFormula ? token.markup : token.content).replace(directionMarks, '');
  return isFormula ? [newToken('text', { content })] : [Object.assign(token, { content })];
}

/** Replaces `[ ]` or `[x]` at the start of a list item with a `task` token. */
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

export function newToken(type: string, fields: Partial<Token>): Token {
  return Object.assign(new MarkdownIt.Token(type, '', 0), fields);
}
