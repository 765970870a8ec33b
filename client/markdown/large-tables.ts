import type { MarkdownIt, StateBlock } from 'markdown-it';

/** A larger table needs `minCharactersPerCell`, so that a short text cannot render many cells. */
const maxShortCells = 5000;
const minCharactersPerCell = 4;

/**
 * Returns whether a table has too many cells for its text. Cells missing in a row are rendered too, so a few characters could
 * produce tens of thousands of cells and block the page.
 */
export function isLargeTable({ rows, columns, characters }: { rows: number; columns: number; characters: number }) {
  const cells = rows * columns;
  return cells > characters || (cells > maxShortCells && minCharactersPerCell * cells > characters);
}

/** Shows the source of a table that is too large as code, which scrolls and can be copied. */
export function largeTableRule({ block: { ruler } }: MarkdownIt): void {
  ruler.before('table', 'large_table', (state, startLine, endLine, silent) => {
    // The rule for tables decides whether a table ends a paragraph.
    if (silent) return false;
    const columns = columnsOf(state, startLine, endLine);
    if (columns === 0) return false;
    const end = endOfTable(state, startLine, endLine);
    const source = state.getLines(startLine, end, state.blkIndent, false);
    if (!isLargeTable({ rows: end - startLine - 1, columns, characters: source.length })) return false;
    const token = state.push('fence', 'code', 0);
    token.info = 'markdown';
    token.content = `${source}\n`;
    token.markup = '```';
    token.map = [startLine, end];
    state.line = end;
    return true;
  });
}

/** Returns 0 if no table starts at `startLine`. */
function columnsOf(state: StateBlock, startLine: number, endLine: number): number {
  const ruleLine = startLine + 1;
  if (ruleLine >= endLine || !isInBlock(state, startLine) || !isInBlock(state, ruleLine)) return 0;
  const rule = lineOf(state, ruleLine);
  if (!/^[|:-][|:\s-]+$/.test(rule)) return 0;
  const columns = cellsIn(rule).length;
  const head = lineOf(state, startLine);
  return head.includes('|') && cellsIn(head).length === columns ? columns : 0;
}

function endOfTable(state: StateBlock, startLine: number, endLine: number): number {
  const terminators = state.md.block.ruler.getRules('blockquote');
  let line = startLine + 2;
  while (line < endLine && isInBlock(state, line) && !state.isEmpty(line)) {
    if (terminators.some((rule) => rule(state, line, endLine, true))) break;
    line += 1;
  }
  return line;
}

function isInBlock({ sCount, blkIndent }: StateBlock, line: number): boolean {
  const indent = (sCount[line] ?? 0) - blkIndent;
  return indent >= 0 && indent < 4;
}

function cellsIn(line: string): string[] {
  const cells = line.replaceAll('\\|', '').split('|');
  return cells.slice(cells[0] === '' ? 1 : 0, cells.length > 1 && cells.at(-1) === '' ? -1 : undefined);
}

function lineOf(state: StateBlock, line: number): string {
  return state.src.slice((state.bMarks[line] ?? 0) + (state.tShift[line] ?? 0), state.eMarks[line]).trim();
}
