import process from 'node:process';
import { findAllFolded, findFolded, folded } from '../../client/conversations/folded-text.ts';
import { passageAround, withoutMarkdown } from '../../client/conversations/search-conversations.ts';
import { chartDataOf, firstChoice } from '../../client/markdown/chart-data.ts';
import { closeOpenMarks } from '../../client/markdown/close-open-marks.ts';
import { copiedHtml } from '../../client/markdown/copied-html.ts';
import { emptyDocument, growDocument } from '../../client/markdown/growing-document.ts';
import { namesAnotherPlace, readLinkTarget } from '../../client/markdown/link-target.ts';
import type { Table } from '../../client/markdown/nodes.ts';
import { readBlocks } from '../../client/markdown/read-blocks.ts';
import { readNumber } from '../../client/markdown/read-number.ts';
import { tableLayout } from '../../client/markdown/table-layout.ts';
import { tableCsv, tableHtml, tableTsv } from '../../client/markdown/table-text.ts';
import { formulaTree } from '../../client/markdown/typeset-formula.ts';
import { renderedHtml } from '../client/markdown/rendered.ts';
import { longest, type Recipe, textOf } from './page-texts.ts';

/** A text of ten thousand characters should take no longer, the quickest of some attempts: the page must not be blocked. */
const maxMilliseconds = 200;
const attempts = 3;

/** Here elements are made by React's server, which is slower than the page. */
const maxDrawingMilliseconds = 1500;

/**
 * On a slow or busy machine it may, where half of the text takes about half as long: 2 is linear, 4 is quadratic. What takes longer
 * than `blockingMilliseconds` is a fault all the same.
 */
const maxRatioToHalf = 2.8;
const blockingMilliseconds = 3000;

/** A table that has the text in two of its cells, and those in the text itself. */
function tablesOf(text: string): Table[] {
  const cell = text.replace(/[\r\n|]/g, ' ');
  const blocks = [...readBlocks(`| A | B |\n|-|-|\n| a | ${cell} |\n| ${cell} | 1 |`), ...readBlocks(text)];
  return blocks.filter((block) => block.type === 'table');
}

/** What the page does with texts of a reply, of a person or of a file. */
const parsers: Readonly<Record<string, (text: string) => unknown>> = {
  number: readNumber,
  'Markdown marks': closeOpenMarks,
  blocks: readBlocks,
  'blocks of a growing text': (text) => growDocument(growDocument(emptyDocument, text, true), `${text}x`, true),
  'layout of a table': (text) => tablesOf(text).map(tableLayout),
  chart: (text) => tablesOf(text).map((table) => firstChoice(chartDataOf(table, '.')?.columns ?? [])),
  CSV: (text) => tablesOf(text).map((table) => [tableCsv(table), tableTsv(table), tableHtml(table)]),
  'copied HTML': copiedHtml,
  formula: (text) => formulaTree(text.slice(0, 4000), true),
  'text of a link': (text) => namesAnotherPlace(text, { href: 'https://a.example/', place: 'a.example' }),
  'target of a link': (text) => readLinkTarget(`https://a.example/${text}`) ?? readLinkTarget(`mailto:${text}`),
  search: (text) => withoutMarkdown(text),
  'place of a word': (text) => findFolded(text, folded(text.slice(-20))),
  'places of a word': (text) => findAllFolded(text, text.slice(0, 3)),
  'passage around a word': (text) => passageAround(text, { start: text.length / 2, end: text.length / 2 + 1 }),
  drawing: (text) => renderedHtml(text),
};

/** The thread's own time: a busy machine makes nothing slow. */
function threadMilliseconds(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** How long the quickest attempt takes. The first one that is quick enough is enough. */
function millisecondsOf(work: () => unknown, enough: number): number {
  let quickest = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < attempts && quickest > enough; attempt += 1) {
    const startedAt = threadMilliseconds();
    work();
    quickest = Math.min(quickest, threadMilliseconds() - startedAt);
  }
  return quickest;
}

/** Sentences on what takes too long with the text of `recipe`, or throws. */
export function pageComplaints(recipe: Recipe): string[] {
  const [text, half] = [textOf(recipe), textOf(recipe, longest / 2)];
  return Object.entries(parsers).flatMap(([name, parse]) => {
    try {
      const most = name === 'drawing' ? maxDrawingMilliseconds : maxMilliseconds;
      const whole = millisecondsOf(() => parse(text), most);
      if (whole <= most) return [];
      const ratio = whole / millisecondsOf(() => parse(half), 0);
      if (ratio <= maxRatioToHalf && whole <= blockingMilliseconds) return [];
      const took = `${Math.round(whole)} ms for ${text.length} characters, ${ratio.toFixed(1)} times as long as half of them`;
      return [`The page's parser "${name}" takes ${took}.`];
    } catch (error) {
      return [`The page's parser "${name}" throws: ${error}`];
    }
  });
}
