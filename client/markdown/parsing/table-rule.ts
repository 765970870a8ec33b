import type { MarkdownIt, StateBlock } from 'markdown-it';
import { endOfCode, mayBecomeFormula } from './close-open-marks.ts';
import { lineOf, readFormula } from './formulas.ts';

/** A larger table needs `minCharactersPerCell`, so that a short text cannot render many cells. */
const maxShortCells = 5000;
const minCharactersPerCell = 4;

/** Missing cells are rendered too, so a few characters could make thousands of cells and block the page. */
export function isLargeTable({ rows, columns, characters }: { rows: number; columns: number; characters: number }) {
  const cells = rows * columns;
  return cells > characters || (cells > maxShortCells && minCharactersPerCell * cells > characters);
}

/**
 * Replaces the parser's rule for tables. A pipe in code or in a formula does not end its cell. Cells beyond the columns are joined to
 * the last one, because the pipe was probably meant as text. A table that is too large is shown as code.
 */
export function tableRule({ block: { ruler } }: MarkdownIt): void {
  ruler.disable('table');
  // Runs after the rules for lists and headings, because a head such as `- a | b` starts a list item that contains the table.
  ruler.before('lheading', 'code_aware_table', readTable, { alt: ['paragraph', 'reference'] });
}

function readTable(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  const columns = columnsOf(state, startLine, endLine);
  if (columns === undefined) return false;
  if (silent) return true;
  const end = endOfTable(state, startLine, endLine);
  state.line = end;
  const source = state.getLines(startLine, end, state.blkIndent, false);
  if (isLargeTable({ rows: end - startLine - 1, columns: columns.length, characters: source.length })) {
    const token = state.push('fence', 'code', 0);
    Object.assign(token, { info: 'markdown', content: `${source}\n`, markup: '```', map: [startLine, end] });
    return true;
  }
  state.push('table_open', 'table', 1).map = [startLine, end];
  state.push('thead_open', 'thead', 1);
  pushRow(state, startLine, columns, 'th');
  state.push('thead_close', 'thead', -1);
  if (end > startLine + 2) {
    state.push('tbody_open', 'tbody', 1);
    for (let line = startLine + 2; line < end; line += 1) pushRow(state, line, columns, 'td');
    state.push('tbody_close', 'tbody', -1);
  }
  state.push('table_close', 'table', -1);
  return true;
}

function pushRow(state: StateBlock, line: number, columns: readonly string[], tag: 'th' | 'td'): void {
  const cells = cellsIn(state, line);
  const surplus = cells.splice(columns.length).filter((cell) => cell !== '');
  state.push('tr_open', 'tr', 1).map = [line, line + 1];
  for (const [index, alignment] of columns.entries()) {
    const isLast = index === columns.length - 1;
    const cell = state.push(`${tag}_open`, tag, 1);
    if (alignment !== '') cell.attrs = [['style', `text-align:${alignment}`]];
    const inline = state.push('inline', '', 0);
    inline.content = [cells[index] ?? '', ...(isLast ? surplus : [])].join(' | ');
    inline.children = [];
    state.push(`${tag}_close`, tag, -1);
  }
  state.push('tr_close', 'tr', -1);
}

/** Returns the alignment of each column, or undefined if no table starts at `startLine`. */
function columnsOf(state: StateBlock, startLine: number, endLine: number): string[] | undefined {
  const ruleLine = startLine + 1;
  if (ruleLine >= endLine || !isInBlock(state, startLine) || !isInBlock(state, ruleLine)) return undefined;
  const rule = lineOf(state, ruleLine);
  // A hyphen before a space is a bullet.
  if (!/^(?!-\s)[|:-][|:\s-]+$/.test(rule) || !lineOf(state, startLine).includes('|')) return undefined;
  const marks = withoutOuterCells(rule.split('|').map((mark) => mark.trim()));
  if (!marks.every((mark) => /^:?-+:?$/.test(mark))) return undefined;
  if (marks.length === 0 || cellsIn(state, startLine).length !== marks.length) return undefined;
  return marks.map((mark) => {
    if (mark.endsWith(':')) return mark.startsWith(':') ? 'center' : 'right';
    return mark.startsWith(':') ? 'left' : '';
  });
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

const cellSigns = /\\.|`+|\$\$?|\|/g;

/** At the end of a growing text, code or a formula that can still be closed keeps the rest of the line in its cell. */
function cellsIn(state: StateBlock, line: number): string[] {
  const row = lineOf(state, line);
  const isOpenLine =
    (state.env.isGrowing === true || state.env.isCut === true) && state.eMarks[line] === state.src.length;
  const cells: string[] = [];
  let start = 0;
  cellSigns.lastIndex = 0;
  for (let found = cellSigns.exec(row); found !== null; found = cellSigns.exec(row)) {
    const { 0: sign, index } = found;
    if (sign === '|') {
      cells.push(row.slice(start, index));
      start = index + 1;
      continue;
    }
    const isCode = sign.startsWith('`');
    const end = isCode ? endOfCode(row, sign, cellSigns.lastIndex) : endOfFormula(row, index);
    if (end !== undefined) cellSigns.lastIndex = end;
    else if (isOpenLine && (isCode || mayBecomeFormula(row, sign, index))) break;
  }
  cells.push(row.slice(start));
  return withoutOuterCells(cells.map((cell) => cell.trim().replaceAll('\\|', '|')));
}

/** A formula of signs only, such as `$|$`, is probably a list of currencies. */
function endOfFormula(row: string, index: number): number | undefined {
  const formula = readFormula(row, index);
  return formula !== undefined && /[\p{L}\p{N}]/u.test(formula.tex) ? formula.end : undefined;
}

/** The pipes at both ends of a row are optional. */
function withoutOuterCells(cells: readonly string[]): string[] {
  return cells.slice(cells[0] === '' ? 1 : 0, cells.length > 1 && cells.at(-1) === '' ? -1 : undefined);
}
