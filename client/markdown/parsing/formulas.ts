import type { MarkdownIt, StateBlock } from 'markdown-it';

/** `end` is the index after its closing mark. */
type FoundFormula = { tex: string; end: number; isDisplay: boolean };

/** A longer formula is text. Bounds the search for the end. */
export const maxFormulaCharacters = 4000;

const delimiterPairs = [
  { open: '\\(', close: '\\)', isDisplay: false },
  { open: '\\[', close: '\\]', isDisplay: true },
  { open: '$$', close: '$$', isDisplay: true },
  { open: '$', close: '$', isDisplay: false },
] as const;

type DelimiterPair = (typeof delimiterPairs)[number];

function formulaMarkAt(text: string, index: number): DelimiterPair | undefined {
  return delimiterPairs.find(({ open }) => text.startsWith(open, index));
}

/**
 * Reads the formula that starts at `index`, between `\(` and `\)`, `\[` and `\]`, `$$` and `$$`, or `$` and `$`. Returns undefined
 * if it has no end or is ambiguous: `$5 and $6` are prices, and `\[note\]` is Markdown for `[note]`.
 */
export function readFormula(text: string, index: number): FoundFormula | undefined {
  const pair = formulaMarkAt(text, index);
  if (pair === undefined) return undefined;
  const from = index + pair.open.length;
  const inside = text.slice(from, from + maxFormulaCharacters);
  const length = endIn(inside, pair);
  if (length === undefined) return undefined;
  const tex = inside.slice(0, length).trim();
  const end = from + length + pair.close.length;
  if (tex === '' || !isUnambiguous(pair, text, index, inside.slice(0, length), end)) return undefined;
  return { tex, end, isDisplay: pair.isDisplay };
}

/** Stops at a blank line and at the start of another such formula, so that the search takes linear time over the text. */
function endIn(inside: string, { open, close }: DelimiterPair): number | undefined {
  const stops = close.startsWith('$') ? /\\.|\$\$?|\n[ \t]*\n/gs : /\\.|\n[ \t]*\n/gs;
  for (const { 0: stop, index } of inside.matchAll(stops)) {
    if (stop === close) return index;
    if (stop === open || stop.startsWith('\n') || stop.startsWith('$')) return undefined;
  }
  return undefined;
}

/** A command, an operator, a variable or a number. Plain words do not match. */
const texSigns = /\\[a-zA-Z]|[\^_=<>{}+*/|]|^[a-zA-Z]\d?$|^[\d.,]+$/;

function isUnambiguous({ open }: DelimiterPair, text: string, index: number, inside: string, end: number): boolean {
  if (open === '\\(' || open === '$$') return true;
  if (open === '\\[') return texSigns.test(inside.trim());
  const before = text.charAt(index - 1);
  const after = text.charAt(end);
  if (/[\p{L}\p{N}$\\]/u.test(before) || /[\p{L}\p{N}$]/u.test(after) || inside !== inside.trim()) return false;
  return texSigns.test(inside) && !arePrices(inside);
}

/** Returns whether the text between two dollar signs starts with an amount and has words, as in `$5-10 + tax/$`. */
function arePrices(inside: string): boolean {
  return /^\d/.test(inside) && !/\\|[\^_=]/.test(inside) && /\p{L}{2}/u.test(inside);
}

/** Tokens are `formula_inline` and `formula_block`: `content` is the TeX, `markup` the source with its marks. */
export function formulaRules(markdown: MarkdownIt): void {
  markdown.inline.ruler.before('escape', 'formula', (state, silent) => {
    const mark = state.src.charAt(state.pos);
    if (mark !== '\\' && mark !== '$') return false;
    const found = readFormula(state.src.slice(0, state.posMax), state.pos);
    if (found === undefined) {
      // Markdown would remove the backslash, but in a reply this is probably TeX, and stays as written.
      if (!/^\\[()]/.test(state.src.slice(state.pos, state.pos + 2))) return false;
      if (!silent) state.pending += state.src.slice(state.pos, state.pos + 2);
      state.pos += 2;
      return true;
    }
    if (!silent) {
      const token = state.push('formula_inline', '', 0);
      token.content = found.tex;
      token.markup = state.src.slice(state.pos, found.end);
      token.meta = { isDisplay: found.isDisplay };
    }
    state.pos = found.end;
    return true;
  });

  markdown.block.ruler.before('fence', 'formula', readFormulaBlock, {
    alt: ['paragraph', 'reference', 'blockquote', 'list'],
  });
}

/**
 * A line that starts a formula starts a block, which ends with the formula or at a blank line. A block without an end is a paragraph,
 * and is hidden while its end can still arrive. Only the first line decides, so that earlier blocks never change as the text grows.
 */
function readFormulaBlock(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  if ((state.sCount[startLine] ?? 0) - state.blkIndent >= 4) return false;
  const first = lineOf(state, startLine);
  const open = ['$$', '\\['].find((mark) => first.startsWith(mark));
  if (open === undefined) return false;
  const close = open === '$$' ? '$$' : '\\]';
  const afterMark = first.slice(open.length);
  const endsAt = afterMark.indexOf(close);
  if (endsAt !== -1 && !isWhole(first)) return false;
  // `\[` before text is an escaped bracket of Markdown.
  if (endsAt === -1 && open === '\\[' && afterMark.trim() !== '' && !/[\\^_={}]/.test(afterMark)) return false;
  if (silent) return true;

  let line = startLine;
  let isEnded = endsAt !== -1;
  while (!isEnded && line + 1 < endLine && !state.isEmpty(line + 1)) {
    if ((state.sCount[line + 1] ?? 0) < state.blkIndent) break;
    line += 1;
    isEnded = lineOf(state, line).endsWith(close);
  }
  const lines = Array.from({ length: line - startLine + 1 }, (_, index) => lineOf(state, startLine + index));
  const source = lines.join('\n');
  state.line = line + 1;
  const map: [number, number] = [startLine, state.line];
  if (isEnded && isWhole(source)) {
    const token = state.push('formula_block', '', 0);
    token.content = source.slice(open.length, -close.length).trim();
    token.markup = source;
    token.map = map;
  } else if (state.env.isGrowing !== true || line + 1 < state.lineMax || source.length > maxFormulaCharacters) {
    state.push('paragraph_open', 'p', 1).map = map;
    const token = state.push('inline', '', 0);
    token.content = source;
    token.map = map;
    token.children = [];
    state.push('paragraph_close', 'p', -1);
  }
  return true;
}

function isWhole(source: string): boolean {
  return readFormula(source, 0)?.end === source.length;
}

export function lineOf(state: StateBlock, line: number): string {
  return state.src.slice((state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0), state.eMarks[line]).trim();
}
