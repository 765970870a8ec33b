import { readBlocks, type Table } from '../../../../client/markdown/parsing/nodes.ts';

/** Returns the table with these rows, such as `North | 5`. The first one is the head. */
export function tableOf(head = '', ...rows: readonly string[]): Table {
  const [block] = readBlocks([head, head.replace(/[^|]+/g, '-'), ...rows].join('\n'));
  if (block?.type !== 'table') throw new Error('The text is not a table.');
  return block;
}
