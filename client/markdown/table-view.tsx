import { memo, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { useLocale, useTranslations } from 'use-intl/react';
import { Action } from '../controls/button.tsx';
import { CopyButton } from '../controls/copy-button.tsx';
import { saveFile } from '../controls/save-file.ts';
import { chartDataOf } from './chart-data.ts';
import { ChartView } from './chart-view.tsx';
import { inlineViews } from './inline-view.tsx';
import type { Cell, Row, Table } from './nodes.ts';
import { usualDecimalMark } from './read-number.ts';
import { ScrollBox } from './scroll-box.tsx';
import { type ColumnWidth, isOneLine, isUnbroken, longWord, type TableLayout, tableLayout } from './table-layout.ts';
import { cellText, tableCsv, tableHtml, tableTsv } from './table-text.ts';

type TableViewProps = { table: Table; isGrowing: boolean; direction: 'auto' | undefined };

/** A table, and what can be done with it once it is whole. Their room is there before, so that nothing moves then. */
export function TableView({ table, isGrowing, direction }: TableViewProps) {
  const t = useTranslations('tables');
  const { head, rows } = table;
  const layout = useMemo(() => tableLayout(table), [table]);
  const drawn = useSteadyColumns(rows.length);
  return (
    <div className="table-block" dir={direction}>
      <div className="table-frame">
        <ScrollBox label={t('table', { columns: head.map(cellText).filter(Boolean).join(', ') })}>
          <table ref={drawn} className={tableClass(layout)}>
            <thead>
              <tr>{head.map((cell, column) => headCell(cell, column, layout.widths))}</tr>
            </thead>
            <TableRows rows={rows} />
          </table>
        </ScrollBox>
        <div className="table-end">{!isGrowing && rows.length > 0 && <TableActions table={table} />}</div>
      </div>
    </div>
  );
}

/** Takes a table into a spreadsheet, and shows it as charts where it has numbers. */
function TableActions({ table }: { table: Table }) {
  const t = useTranslations('tables');
  const locale = useLocale();
  const [isChartShown, setIsChartShown] = useState(false);
  const chart = useMemo(() => chartDataOf(table, usualDecimalMark(locale)), [table, locale]);

  const download = () => saveFile({ name: `${t('fileName')}.csv`, type: 'text/csv', text: tableCsv(table) });
  const toggleChart = () => setIsChartShown(!isChartShown);
  return (
    <>
      <div className="table-actions">
        <CopyButton label={t('copy')} text={() => tableTsv(table)} html={async () => tableHtml(table)} />
        <Action icon="download" label={t('download')} onClick={download} />
        {chart && <Action icon="chart" label={t(isChartShown ? 'hideChart' : 'showChart')} onClick={toggleChart} />}
      </div>
      {chart && isChartShown && <ChartView data={chart} />}
    </>
  );
}

function tableClass({ isFirstShort, widerThan }: TableLayout): string | undefined {
  const classes = [isFirstShort && 'short-first', widerThan && `wider-than-${widerThan}`];
  return classes.filter(Boolean).join(' ') || undefined;
}

function headCell(cell: Cell, column: number, widths: readonly ColumnWidth[]) {
  return (
    <th key={column} scope="col" className={`column-${widths[column]} ${cellClass(cell, isUnbroken)}`.trim()}>
      {inlineViews(cell.children)}
    </th>
  );
}

function rowView({ start, cells }: Row) {
  return <tr key={start}>{cells.map(dataCell)}</tr>;
}

function dataCell(cell: Cell, column: number) {
  return (
    <td key={column} className={cellClass(cell, isOneLine) || undefined}>
      {inlineViews(cell.children)}
    </td>
  );
}

function cellClass(cell: Cell, isOneLine: (text: string) => boolean): string {
  const text = cellText(cell);
  const alignment = cell.alignment && `align-${cell.alignment}`;
  return [alignment, longWord.test(text) && 'long-word', isOneLine(text) && 'unbroken'].filter(Boolean).join(' ');
}

/** So many rows are drawn anew with each word that is added to the last of them. */
const groupRows = 50;

type TableRowsProps = { rows: readonly Row[] };

/** The rows of a table, in groups: what is added to a long table leaves all groups but the last alone. */
function TableRows({ rows }: TableRowsProps) {
  const count = Math.ceil(rows.length / groupRows);
  return Array.from({ length: count }, (_, index) => {
    const group = rows.slice(index * groupRows, (index + 1) * groupRows);
    return <RowGroup key={group[0]?.start} rows={group} />;
  });
}

const RowGroup = memo(
  function RowGroup({ rows }: TableRowsProps) {
    return <tbody>{rows.map(rowView)}</tbody>;
  },
  (before, now) => before.rows.length === now.rows.length && before.rows.every((row, index) => row === now.rows[index]),
);

/** A table with so many rows has columns as wide as they will be, or nearly so. */
const decidingRows = 100;

/**
 * Keeps the columns of a long table as wide as its first rows have made them. Otherwise each row that is added could change
 * the width, and so the height, of all the rows above it, and the browser would have to look at them all.
 */
function useSteadyColumns(rowCount: number) {
  const table = useRef<HTMLTableElement>(null);
  const isLong = rowCount > decidingRows;

  useLayoutEffect(() => {
    const { current } = table;
    const heads = Array.from(current?.tHead?.rows[0]?.cells ?? []);
    if (!isLong || current === null) return;
    const { width } = current.getBoundingClientRect();
    const widths = heads.map((head) => head.getBoundingClientRect().width);
    for (const [index, head] of heads.entries()) head.style.width = `${widths[index]}px`;
    current.style.width = `${width}px`;
    current.style.tableLayout = 'fixed';
  }, [isLong]);

  return table;
}
