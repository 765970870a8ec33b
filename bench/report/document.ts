import { readFileSync, writeFileSync } from 'node:fs';
import { markdownTable, type Table } from './table.ts';

const file = new URL('../../docs/performance.md', import.meta.url);

/** Puts a part's tables between its two comments in the document, in place of those that stand there. */
export function writeResults(part: string, circumstances: string, tables: readonly Table[]): void {
  const [opening, closing] = [`<!-- results: ${part} -->`, `<!-- end of results: ${part} -->`];
  const text = readFileSync(file, 'utf8');
  const from = text.indexOf(opening);
  const to = text.indexOf(closing);
  if (from === -1 || to < from) throw new Error(`The document has no place for the results of ${part}.`);
  const results = [opening, '', ...tables.map(markdownTable), `<sub>${circumstances}</sub>`, '', ''].join('\n');
  writeFileSync(file, text.slice(0, from) + results + text.slice(to));
}
