import { Children } from 'react';
import { InlineList } from './inline-view.tsx';
import type { Cell, Table } from './nodes.ts';
import { ScrollBox } from './scroll-box.tsx';

type TableViewProps = { table: Table; direction: 'auto' | undefined };

export function TableView({ table: { head, rows }, direction }: TableViewProps) {
  return (
    <ScrollBox label="Table">
      <table dir={direction}>
        <thead>
          <tr>{Children.toArray(head.map(headCell))}</tr>
        </thead>
        <tbody>
          {rows.map(({ start, cells }) => (
            <tr key={start}>{Children.toArray(cells.map(dataCell))}</tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  );
}

function headCell({ alignment, children }: Cell) {
  return (
    <th scope="col" className={alignment && `align-${alignment}`}>
      <InlineList nodes={children} />
    </th>
  );
}

function dataCell({ alignment, children }: Cell) {
  return (
    <td className={alignment && `align-${alignment}`}>
      <InlineList nodes={children} />
    </td>
  );
}
