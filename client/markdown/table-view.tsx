import { InlineList } from './inline-view.tsx';
import type { Cell, Row, Table } from './nodes.ts';
import { ScrollBox } from './scroll-box.tsx';
import { TableRows } from './table-rows.tsx';

type TableViewProps = { table: Table; direction: 'auto' | undefined };

export function TableView({ table: { head, rows }, direction }: TableViewProps) {
  return (
    <ScrollBox label="Table">
      <table dir={direction}>
        <thead>
          <tr>{head.map(headCell)}</tr>
        </thead>
        <TableRows rows={rows} rowView={rowView} />
      </table>
    </ScrollBox>
  );
}

function rowView({ start, cells }: Row) {
  return <tr key={start}>{cells.map(dataCell)}</tr>;
}

function headCell({ alignment, children }: Cell, column: number) {
  return (
    <th key={column} scope="col" className={alignment && `align-${alignment}`}>
      <InlineList nodes={children} />
    </th>
  );
}

function dataCell({ alignment, children }: Cell, column: number) {
  return (
    <td key={column} className={alignment && `align-${alignment}`}>
      <InlineList nodes={children} />
    </td>
  );
}
