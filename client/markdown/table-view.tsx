import { useMemo } from 'react';
import { useTranslations } from 'use-intl/react';
import { type ColumnWidth, columnWidths, isFirstShort, longWord, widerThan } from './column-width.ts';
import { inlineViews } from './inline-view.tsx';
import type { Cell, Row, Table } from './nodes.ts';
import { ScrollBox } from './scroll-box.tsx';
import { TableActions } from './table-actions.tsx';
import { TableRows } from './table-rows.tsx';
import { cellText } from './table-text.ts';
import { useSteadyColumns } from './use-steady-columns.ts';

type TableViewProps = { table: Table; isGrowing: boolean; direction: 'auto' | undefined };

/** A table, and what can be done with it once it is whole. Their room is there before, so that nothing moves then. */
export function TableView({ table, isGrowing, direction }: TableViewProps) {
  const say = useTranslations('tables');
  const { head, rows } = table;
  const widths = useMemo(() => columnWidths(table), [table]);
  const className = useMemo(() => tableClass(table), [table]);
  const drawn = useSteadyColumns(rows.length);
  return (
    <figure className="table-block">
      <ScrollBox label={say('table')} direction={direction}>
        <table ref={drawn} className={className}>
          <thead>
            <tr>{head.map((cell, column) => headCell(cell, column, widths))}</tr>
          </thead>
          <TableRows rows={rows} rowView={rowView} />
        </table>
      </ScrollBox>
      <figcaption>{!isGrowing && rows.length > 0 && <TableActions table={table} />}</figcaption>
    </figure>
  );
}

function tableClass(table: Table): string | undefined {
  const wider = widerThan(table);
  const classes = [isFirstShort(table) && 'short-first', wider && `wider-than-${wider}`];
  return classes.filter(Boolean).join(' ') || undefined;
}

function rowView({ start, cells }: Row) {
  return <tr key={start}>{cells.map(dataCell)}</tr>;
}

function headCell(cell: Cell, column: number, widths: readonly ColumnWidth[]) {
  return (
    <th key={column} scope="col" className={`column-${widths[column]} ${cellClass(cell)}`.trim()}>
      {inlineViews(cell.children)}
    </th>
  );
}

function dataCell(cell: Cell, column: number) {
  return (
    <td key={column} className={cellClass(cell) || undefined}>
      {inlineViews(cell.children)}
    </td>
  );
}

function cellClass(cell: Cell): string {
  const alignment = cell.alignment && `align-${cell.alignment}`;
  const word = longWord.test(cellText(cell)) && 'long-word';
  return [alignment, word].filter(Boolean).join(' ');
}
