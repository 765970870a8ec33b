import { memo, type ReactNode } from 'react';
import type { Row } from './nodes.ts';

/** So many rows are drawn anew with each word that is added to the last of them. */
const groupRows = 50;

type RowView = (row: Row) => ReactNode;

/** The rows of a table, in groups: what is added to a long table leaves all groups but the last alone. */
export function TableRows({ rows, rowView }: { rows: readonly Row[]; rowView: RowView }) {
  const count = Math.ceil(rows.length / groupRows);
  return Array.from({ length: count }, (_, index) => {
    const group = rows.slice(index * groupRows, (index + 1) * groupRows);
    return <RowGroup key={group[0]?.start} rows={group} rowView={rowView} />;
  });
}

const RowGroup = memo(
  function RowGroup({ rows, rowView }: { rows: readonly Row[]; rowView: RowView }) {
    return <tbody>{rows.map(rowView)}</tbody>;
  },
  (before, now) => before.rows.length === now.rows.length && before.rows.every((row, index) => row === now.rows[index]),
);
