import process from 'node:process';
import { mayBeTruncated } from '../../client/chat/truncation.ts';
import { findFolded, foldText } from '../../client/library/folded-text.ts';
import { passageAround, withoutMarkdown } from '../../client/library/search-conversations.ts';
import { copiedHtml } from '../../client/markdown/copied-html.ts';
import { formulaTree } from '../../client/markdown/formulas/typeset-formula.ts';
import { closeOpenMarks } from '../../client/markdown/parsing/close-open-marks.ts';
import { emptyDocument, growDocument } from '../../client/markdown/parsing/growing-document.ts';
import { namesOtherDestination, readLinkTarget } from '../../client/markdown/parsing/link-target.ts';
import { readBlocks, type Table } from '../../client/markdown/parsing/nodes.ts';
import { chartDataOf, defaultColumns } from '../../client/markdown/tables/chart-data.ts';
import { readNumber } from '../../client/markdown/tables/read-number.ts';
import { tableLayout } from '../../client/markdown/tables/table-layout.ts';
import { tableCsv, tableHtml, tableTsv } from '../../client/markdown/tables/table-text.ts';
import { renderedHtml } from '../client/markdown/rendered.ts';
import { maxCharacters, type Recipe, repeatedUnits, textOf } from './page-texts.ts';

/** The limit for a text of ten thousand characters, for the fastest of several attempts: longer work would block the page. */
const maxMilliseconds = 200;
const attempts = 10;

/** Rendering has a higher limit, because the tests use React's server renderer, which is slower than the page. */
const maxRenderingMilliseconds = 1500;

/**
 * A text that exceeds its limit passes if its time is about linear, as on a slow machine: the ratio to half of the text
 * is 2 for linear and 4 for quadratic time. Times over `blockingMilliseconds` always fail.
 */
const maxRatioToHalf = 2.8;
const blockingMilliseconds = 3000;

let parsed: { text: string; tables: Table[] } | undefined;

/** Reads the tables in the text, and one with the text in two of its cells. */
function readTables(text: string): Table[] {
  const cell = text.replace(/[\r\n|]/g, ' ');
  const blocks = [...readBlocks(`| A | B |\n|-|-|\n| a | ${cell} |\n| ${cell} | 1 |`), ...readBlocks(text)];
  parsed = { text, tables: blocks.filter((block) => block.type === 'table') };
  return parsed.tables;
}

/** Returns the tables of a text, which is read once, because several functions need them and "tables" measures the reading. */
const tablesOf = (text: string) => (parsed?.text === text ? parsed.tables : readTables(text));

/** Functions of the page that process text from replies, users or files. */
const parsers: Readonly<Record<string, (text: string) => unknown>> = {
  number: readNumber,
  'Markdown marks': closeOpenMarks,
  blocks: readBlocks,
  'blocks of a growing text': (text) => growDocument(growDocument(emptyDocument, text, true), `${text}x`, true),
  tables: readTables,
  'layout of a table': (text) => tablesOf(text).map(tableLayout),
  chart: (text) => tablesOf(text).map((table) => defaultColumns(chartDataOf(table)?.columns ?? [])),
  CSV: (text) => tablesOf(text).map((table) => [tableCsv(table, '.'), tableTsv(table), tableHtml(table)]),
  'copied HTML': copiedHtml,
  formula: (text) => formulaTree(text.slice(0, 4000), true),
  'text of a link': (text) => namesOtherDestination(text, { href: 'https://a.example/', destination: 'a.example' }),
  'target of a link': (text) => readLinkTarget(`https://a.example/${text}`) ?? readLinkTarget(`mailto:${text}`),
  'end of a reply': (text) => mayBeTruncated(text, 1),
  search: (text) => withoutMarkdown(text),
  'place of a word': (text) => findFolded(text, foldText(text.slice(-20))),
  'passage around a word': (text) => passageAround(text, { start: text.length / 2, end: text.length / 2 + 1 }),
  rendering: (text) => renderedHtml(text),
};

/** Returns the CPU time of the thread, which is independent of the machine's load. */
function threadMilliseconds(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** Returns the time of the fastest attempt. Stops at the first attempt within `enough`. */
function millisecondsOf(work: () => unknown, enough: number): number {
  let fastest = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < attempts && fastest > enough; attempt += 1) {
    const startedAt = threadMilliseconds();
    work();
    fastest = Math.min(fastest, threadMilliseconds() - startedAt);
  }
  return fastest;
}

/** Returns a sentence for each parser that throws or takes too long with the text of `recipe`. */
export function pageViolations(recipe: Recipe): string[] {
  return violationsOf([textOf(recipe), textOf(recipe, maxCharacters / 2)], maxMilliseconds);
}

/** Long enough that quadratic time exceeds the limit, except with the fastest patterns. */
const repeatedCharacters = 20_000;
const maxRepeatedMilliseconds = 200;

/** Returns a sentence for each parser that throws or takes too long with a text that repeats one unit. */
export function repeatedUnitViolations(): string[] {
  const texts = (before: string, unit: string, after: string) =>
    [repeatedCharacters, repeatedCharacters / 2].map(
      (length) => before + unit.repeat(length / unit.length) + after,
    ) as [string, string];
  return repeatedUnits.flatMap((unit) =>
    [texts('', unit, 'x'), texts('$', unit, 'x')].flatMap((pair) => violationsOf(pair, maxRepeatedMilliseconds)),
  );
}

function violationsOf([text, half]: readonly [string, string], maxParsingMilliseconds: number): string[] {
  return Object.entries(parsers).flatMap(([name, parse]) => {
    try {
      const limit = name === 'rendering' ? maxRenderingMilliseconds : maxParsingMilliseconds;
      const milliseconds = millisecondsOf(() => parse(text), limit);
      if (milliseconds <= limit) return [];
      const ratio = milliseconds / millisecondsOf(() => parse(half), 0);
      if (ratio <= maxRatioToHalf && milliseconds <= blockingMilliseconds) return [];
      const took = `${Math.round(milliseconds)} ms for ${text.length} characters, ${ratio.toFixed(1)} times as long as half of them`;
      return [
        `The page's parser "${name}" takes ${took}: ${JSON.stringify(text.slice(0, 10))}…${JSON.stringify(text.slice(-3))}.`,
      ];
    } catch (error) {
      return [`The page's parser "${name}" throws: ${error}`];
    }
  });
}
