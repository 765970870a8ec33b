import { lazy, memo, Suspense, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { useLocale, useTranslations } from 'use-intl/react';
import { fileName, saveFile } from '../../browser/save-file.ts';
import { IconButton } from '../../controls/button.tsx';
import { CopyButton } from '../../controls/copy-button.tsx';
import { renderInlines } from '../inline-view.tsx';
import type { Cell, Row, Table } from '../parsing/nodes.ts';
import { titleAbove } from '../picture-actions.tsx';
import { ScrollBox } from '../scroll-box.tsx';
import { chartDataOf } from './chart-data.ts';
import { decimalMarkOf } from './read-number.ts';
import {
  isOneLine,
  isOneLineHead,
  longWordPattern,
  type PaperColumn,
  type TableLayout,
  tableLayout,
} from './table-layout.ts';
import { cellText, tableCsv, tableHtml, tableTsv } from './table-text.ts';

// The chunk can fail to load, for example after a deployment.
const ChartView = lazy(() => import('./chart-view.tsx').catch(() => ({ default: ChartFailure })));

/** The narrowest paper in the smallest type. */
const smallestPaperEm = 45;

type TableViewProps = { table: Table; isGrowing: boolean; direction: 'auto' | undefined };

/** The actions appear once the table is complete. Their space is reserved from the start, so that nothing moves. */
export function TableView({ table, isGrowing, direction }: TableViewProps) {
  const t = useTranslations('tables');
  const { head, rows } = table;
  const layout = useMemo(() => tableLayout(table), [table]);
  const { paper } = layout;
  const tableRef = useFixedColumns(rows.length);
  return (
    <div className="table-block" dir={direction}>
      <div className="table-frame">
        <ScrollBox label={t('table', { columns: head.map(cellText).filter(Boolean).join(', ') })}>
          <table ref={tableRef} className={tableClass(layout)} style={paper && { '--least-sum': leastWidth(paper) }}>
            <thead>
              <tr>{head.map((cell, column) => renderHeadCell(cell, column, layout))}</tr>
            </thead>
            <TableRows rows={rows} />
          </table>
        </ScrollBox>
        {paper && leastWidth(paper) > smallestPaperEm && <MissingColumns head={head} paper={paper} />}
        <div className="table-end">{!isGrowing && rows.length > 0 && <TableActions table={table} />}</div>
      </div>
    </div>
  );
}

function TableActions({ table }: { table: Table }) {
  const t = useTranslations('tables');
  const locale = useLocale();
  const actions = useRef<HTMLDivElement>(null);
  const [isChartVisible, setIsChartVisible] = useState(false);
  const decimalMark = decimalMarkOf(locale);
  const chart = useMemo(() => chartDataOf(table), [table]);

  const download = () => {
    const name = fileName(titleAbove(actions.current), 'csv');
    saveFile({ name, type: 'text/csv', text: tableCsv(table, decimalMark) });
  };
  const toggle = () => setIsChartVisible(!isChartVisible);
  return (
    <>
      <div ref={actions} className="actions">
        <CopyButton label={t('copy')} text={() => tableTsv(table)} getHtml={async () => tableHtml(table)} />
        <IconButton icon="download" label={t('download')} onClick={download} />
        {chart && <IconButton icon="chart" label={t(isChartVisible ? 'hideChart' : 'showChart')} onClick={toggle} />}
      </div>
      {chart && isChartVisible && (
        <Suspense fallback={<div data-unfinished />}>
          <ChartView data={chart} />
        </Suspense>
      )}
    </>
  );
}

function ChartFailure() {
  const t = useTranslations('commands');
  return <p role="alert">{t('notLoaded')}</p>;
}

type MissingColumnsProps = { head: readonly Cell[]; paper: readonly PaperColumn[] };

/**
 * Names the columns that do not fit on the page in the smallest type. Only the style sheet knows the width of the paper: it hides
 * the names of the other columns, or the entire line.
 */
function MissingColumns({ head, paper }: MissingColumnsProps) {
  const t = useTranslations('tables');
  const columns = () =>
    head.map((cell, column) => {
      const isLast = column === head.length - 1;
      return (
        // biome-ignore lint/suspicious/noArrayIndexKey: two columns can have the same name.
        <bdi key={column} style={{ '--end': leastWidth(paper.slice(0, column + 1)) }}>
          {cellText(cell) + (isLast ? '' : '\u00A0·\u00A0')}
        </bdi>
      );
    });
  return (
    <p className="missing-columns" dir="auto" style={{ '--least-sum': leastWidth(paper) }}>
      {t.rich('missing', { columns })}
    </p>
  );
}

function leastWidth(columns: readonly PaperColumn[]): number {
  return columns.reduce((sum, { least }) => sum + least, 0);
}

function tableClass({ isFirstShort, widerThan, paper }: TableLayout): string | undefined {
  const classes = [isFirstShort && 'short-first', widerThan && `wider-than-${widerThan}`, paper && 'wider-than-paper'];
  return classes.filter(Boolean).join(' ') || undefined;
}

function renderHeadCell(cell: Cell, column: number, { widths, paper }: TableLayout) {
  const onPaper = paper?.[column];
  const isNumber = widths[column] === 'number';
  return (
    <th
      key={column}
      scope="col"
      className={`column-${widths[column]} ${cellClass(cell, isOneLineHead, !isNumber)}`.trim()}
      style={onPaper && { '--whole': onPaper.whole, '--least': onPaper.least }}
    >
      {isNumber ? <span className="number-head">{renderInlines(cell.children)}</span> : renderInlines(cell.children)}
    </th>
  );
}

function renderRow({ start, cells }: Row) {
  return (
    <tr key={start} data-start={start}>
      {cells.map(renderCell)}
    </tr>
  );
}

/** The first of several columns names the rows. */
function renderCell(cell: Cell, column: number, cells: readonly Cell[]) {
  const className = cellClass(cell, isOneLine) || undefined;
  const content = renderInlines(cell.children);
  if (column === 0 && cells.length > 1) {
    return (
      <th key={column} scope="row" className={className}>
        {content}
      </th>
    );
  }
  return (
    <td key={column} className={className}>
      {content}
    </td>
  );
}

/** Long words break anywhere, except in the head of a column of numbers, which is as wide as its longest word. */
function cellClass(cell: Cell, isOneLine: (text: string) => boolean, canBreakWords = true): string {
  const text = cellText(cell);
  const alignment = cell.alignment && `align-${cell.alignment}`;
  return [alignment, canBreakWords && longWordPattern.test(text) && 'long-word', isOneLine(text) && 'unbroken']
    .filter(Boolean)
    .join(' ');
}

/** Small, because the last group renders again with each added word. */
const rowsPerGroup = 50;

type TableRowsProps = { rows: readonly Row[] };

/** Renders rows in groups, so that adding to a long table renders only its last group again. */
function TableRows({ rows }: TableRowsProps) {
  const count = Math.ceil(rows.length / rowsPerGroup);
  return Array.from({ length: count }, (_, index) => {
    const group = rows.slice(index * rowsPerGroup, (index + 1) * rowsPerGroup);
    return <RowGroup key={group[0]?.start} rows={group} />;
  });
}

const RowGroup = memo(
  function RowGroup({ rows }: TableRowsProps) {
    return <tbody>{rows.map(renderRow)}</tbody>;
  },
  (before, now) => before.rows.length === now.rows.length && before.rows.every((row, index) => row === now.rows[index]),
);

/** Column widths rarely change after this many rows. */
const rowsBeforeFixing = 100;

/**
 * Fixes the column widths of a long table once its first rows have determined them. Otherwise each added row could change the
 * width, and so the height, of every row above it, and the browser would lay out the entire table again.
 */
function useFixedColumns(rowCount: number) {
  const table = useRef<HTMLTableElement>(null);
  const isLong = rowCount > rowsBeforeFixing;

  useLayoutEffect(() => {
    const { current } = table;
    const heads = Array.from(current?.tHead?.rows[0]?.cells ?? []);
    if (!isLong || current === null) return;
    const { width } = current.getBoundingClientRect();
    const widths = heads.map((head) => head.getBoundingClientRect().width);
    for (const [index, head] of heads.entries()) head.style.setProperty('--fixed-width', `${widths[index]}px`);
    current.style.setProperty('--fixed-width', `${width}px`);
    current.toggleAttribute('data-fixed', true);
  }, [isLong]);

  return table;
}
