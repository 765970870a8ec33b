import fc from 'fast-check';
import { pieces } from '../client/markdown/markdown-texts.ts';
import { oneOf } from './texts.ts';

export const maxCharacters = 10_000;

/** Pieces of numbers, tables, links, formulas and search words. */
const others = [
  ...['1', '12', '.', ',', '1.', '1,', '-', '−', '+', '(', ')'],
  ...['%', '€', '$5', 'k', 'Mio.', '億', '１', '٣', '’', ':', '/'],
  ...[
    '\u00A0',
    '\u3000',
    '\u200F',
    '\u0301',
    '\u064B',
    'ﬁ',
    'ß',
    'ガ',
    'ｶﾞ',
    '각',
    'أ',
    'ς',
    '。',
    '「',
    '」',
    '：',
    '“',
  ],
  ...['|', '||', '| 1 ', '|-', '-|', ':-:', '"', '""', "'", '=', '@', 'a@b.c', 'mailto:', 'https://'],
  ...['?', '#', '&', '…', '!', 'Total', '合計', 'week 1', 'a-1-1'],
  ...['{', '}', '^', '_{', '\\frac', '\\sqrt{', '\\left(', '\\right)', '\\begin{matrix}', '\\end{matrix}', '&', '\\\\'],
  ...['\\llap{', '\\cancelto{', '\\text{', '\\def\\a{', '\\a', '\\let', '\\color{red}', '\\overline{', '\\hspace{1em}'],
  ...['> [!NOTE]\n', '- [ ] ', '```js\n', '<br', '<https:', '"a"', '\\[', '\\]', '{x}'],
];

/** Long runs of these can be slow for regular expressions that backtrack. */
const runs = [
  ...[' ', '\t', '\n', '\u3000', '1', '1.', '-', 'a', '[', '![', '`'],
  ...['*', '_', '|', '>', '$', '\\', '<', '=', '.', '"', '('],
];

/** Long repetitions of these can be slow for parsers that look for the end of each mark. */
export const repeatedUnits = [
  ...runs,
  ...['> ', '>\n', '- ', '- \n', '| a ', '*_', '_a_'],
  ...['**a ', '*a **b ', '`a ', '[a](', '[a](b(', '[^', '- *a* [b](c)\n'],
  ...['\\(', '\\[', '\\(\\[', '\\(a', '\\(a\\\\', '$$', '$$ ', '$a', '$\\a ', '$\n', '\\[\n'],
  ...['<a:', '<br', '<br ', 'https:', 'https://a'],
];

const piece = oneOf([1, fc.constantFrom(...pieces)], [1, fc.constantFrom(...others)]);
/** The first character of a number, a spreadsheet formula, a link and the like. */
const begin = fc.constantFrom('-', '+', '(', '$', '[', '|', '"', '=');

const several = fc.array(piece, { minLength: 1, maxLength: 4 }).map((chosen) => chosen.join(''));

const words = oneOf([1, fc.constantFrom(...runs)], [1, several]);

/** Words, mostly repeated to fill their share of the text. */
const repeated = fc.record({ words, share: oneOf([1, fc.constant(0)], [3, fc.integer({ min: 1, max: 100 })]) });

/** The parts of a text, so that a failure is reported as a few words instead of ten thousand characters. */
export type Recipe = readonly { words: string; share: number }[];
export const anyRecipe: fc.Arbitrary<Recipe> = oneOf(
  [1, fc.array(repeated, { minLength: 1, maxLength: 4 })],
  [
    1,
    fc
      .tuple(
        oneOf([1, piece], [1, begin]),
        oneOf([1, fc.constantFrom(' ', '\t')], [2, fc.constantFrom(...runs)]),
        piece,
      )
      .map(([before, run, after]) => [before, run, after].map((words) => ({ words, share: words === run ? 1 : 0 }))),
  ],
);

/** Returns the text of a recipe, with at most `characters` characters, and close to that if a part is repeated. */
export function textOf(recipe: Recipe, characters = maxCharacters): string {
  const totalShare = recipe.reduce((sum, { share }) => sum + share, 0) || 1;
  // Each part occurs at least once, so this is the space for repetitions.
  const space = characters - recipe.reduce((sum, { words }) => sum + words.length, 0);
  return recipe
    .map(({ words, share }) => words.repeat(Math.max(1, Math.floor((space * share) / totalShare / words.length))))
    .join('')
    .slice(0, characters);
}
