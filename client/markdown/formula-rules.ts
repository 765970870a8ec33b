import type { MarkdownIt, StateBlock } from 'markdown-it';
import { mostFormulaCharacters, readFormula } from './read-formula.ts';

/**
 * Formulas for the parser. One in a line is a token `formula_inline`; one on lines of its own is a `formula_block`. The
 * tokens' `content` is the TeX, their `markup` the whole as it was written.
 */
export function formulaRules(markdown: MarkdownIt): void {
  markdown.inline.ruler.before('escape', 'formula', (state, silent) => {
    const mark = state.src.charAt(state.pos);
    if (mark !== '\\' && mark !== '$') return false;
    const found = readFormula(state.src.slice(0, state.posMax), state.pos);
    if (found === undefined) {
      // In Markdown it is a parenthesis whose backslash goes; in a reply it is TeX that was not understood.
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
 * A line that begins a formula begins a block of its own, which goes as far as the line that ends the formula, or the
 * next blank line. Without an end it is a paragraph; while its end can still come, it is not shown. Only the first line
 * decides whether it begins: what stands above never changes as the text grows.
 */
function readFormulaBlock(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  if ((state.sCount[startLine] ?? 0) - state.blkIndent >= 4) return false;
  const first = lineOf(state, startLine);
  const open = ['$$', '\\['].find((mark) => first.startsWith(mark));
  if (open === undefined) return false;
  const close = open === '$$' ? '$$' : '\\]';
  const rest = first.slice(open.length);
  const endsAt = rest.indexOf(close);
  if (endsAt !== -1 && !isWhole(first)) return false;
  // `\[` before a text is how Markdown writes a bracket.
  if (endsAt === -1 && open === '\\[' && rest.trim() !== '' && !/[\\^_={}]/.test(rest)) return false;
  if (silent) return true;

  let line = startLine;
  let isEnded = endsAt !== -1;
  while (!isEnded && line + 1 < endLine && !state.isEmpty(line + 1)) {
    if ((state.sCount[line + 1] ?? 0) < state.blkIndent) break;
    line += 1;
    isEnded = lineOf(state, line).endsWith(close);
  }
  const lines = Array.from({ length: line - startLine + 1 }, (_, index) => lineOf(state, startLine + index));
  const written = lines.join('\n');
  state.line = line + 1;
  const map: [number, number] = [startLine, state.line];
  if (isEnded && isWhole(written)) {
    const token = state.push('formula_block', '', 0);
    token.content = written.slice(open.length, -close.length).trim();
    token.markup = written;
    token.map = map;
  } else if (state.env.isGrowing !== true || line + 1 < state.lineMax || written.length > mostFormulaCharacters) {
    state.push('paragraph_open', 'p', 1).map = map;
    const token = state.push('inline', '', 0);
    token.content = written;
    token.map = map;
    token.children = [];
    state.push('paragraph_close', 'p', -1);
  }
  return true;
}

function isWhole(written: string): boolean {
  return readFormula(written, 0)?.end === written.length;
}

function lineOf(state: StateBlock, line: number): string {
  return state.src.slice((state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0), state.eMarks[line]).trim();
}
