import { asJson } from './answers.ts';
import { type OptionValues, UsageError } from './command.ts';
import { table } from './table.ts';

type List<Row> = {
  headings: readonly string[];
  pages: AsyncIterable<readonly Row[]>;
  cellsOf: (row: Row) => readonly string[];
};

/** A list of any length in pieces: an array of JSON with --json, else a table. */
export function printedList<Row>({ json }: OptionValues, { headings, pages, cellsOf }: List<Row>) {
  return json ? jsonList(pages) : table(headings, pages, cellsOf);
}

/**
 * The part of a list that --limit and --after name.
 * @throws UsageError where --limit is no number of rows
 */
export function partOf({ limit, after }: OptionValues): { limit?: number; after?: string } {
  if (limit !== undefined && !/^[1-9]\d{0,8}$/.test(limit)) {
    throw new UsageError('--limit takes a whole number of rows, at least 1.');
  }
  return { ...(limit !== undefined && { limit: Number(limit) }), ...(after !== undefined && { after }) };
}

/** What `asJson` would give of all the rows at once. */
async function* jsonList(pages: AsyncIterable<readonly unknown[]>): AsyncGenerator<string> {
  let separator = '[\n';
  for await (const rows of pages) {
    for (const row of rows) {
      yield `${separator}${asJson(row).replaceAll(/^/gm, '  ')}`;
      separator = ',\n';
    }
  }
  yield separator === '[\n' ? '[]\n' : '\n]\n';
}
