import fc from 'fast-check';
import { pieces } from '../client/markdown/markdown-texts.ts';
import { oneOf } from './texts.ts';

export const longest = 10_000;

/** Pieces of numbers, tables, links, formulas and search words. */
const others = [
  ...[
    '1',
    '12',
    '.',
    ',',
    '1.',
    '1,',
    '-',
    '−',
    '+',
    '(',
    ')',
    '%',
    '€',
    '$5',
    'k',
    'Mio.',
    '億',
    '１',
    '٣',
    '’',
    ':',
    '/',
  ],
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
  ...[
    '|',
    '||',
    '| 1 ',
    '|-',
    '-|',
    ':-:',
    '"',
    '""',
    "'",
    '=',
    '@',
    'a@b.c',
    'mailto:',
    'https://',
    '?',
    '#',
    '&',
    '…',
    '!',
  ],
  ...['{', '}', '^', '_{', '\\frac', '\\sqrt{', '\\left(', '\\right)', '\\begin{matrix}', '\\end{matrix}', '&', '\\\\'],
  ...['\\llap{', '\\cancelto{', '\\text{', '\\def\\a{', '\\a', '\\let', '\\color{red}', '\\overline{', '\\hspace{1em}'],
  ...[
    '> [!NOTE]\n',
    '- [ ] ',
    '```js\n',
    '<br',
    '<https:',
    '"a"',
    '\\[',
    '\\]',
    '{x}',
    'Total',
    '合計',
    'week 1',
    'a-1-1',
  ],
];

/** Runs of these have made patterns slow. */
const runs = [
  ' ',
  '\t',
  '\n',
  '\u3000',
  '1',
  '1.',
  '-',
  'a',
  '[',
  '![',
  '`',
  '*',
  '_',
  '|',
  '>',
  '$',
  '\\',
  '<',
  '=',
  '.',
  '"',
  '(',
];

const piece = oneOf([1, fc.constantFrom(...pieces)], [1, fc.constantFrom(...others)]);
/** What a number, a formula for a spreadsheet, a link or the like begins with. */
const begin = fc.constantFrom('-', '+', '(', '$', '[', '|', '"', '=');

const several = fc.array(piece, { minLength: 1, maxLength: 4 }).map((chosen) => chosen.join(''));

const words = oneOf([1, fc.constantFrom(...runs)], [1, several]);

/** Some words, most of them repeated as often as a long text has room for. */
const repeated = fc.record({ words, share: oneOf([1, fc.constant(0)], [3, fc.integer({ min: 1, max: 100 })]) });

/** How a text is made, so that a failure names few words and not ten thousand characters. */
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

/** The text of a recipe, of about as many characters, and no more. */
export function textOf(recipe: Recipe, characters = longest): string {
  const whole = recipe.reduce((sum, { share }) => sum + share, 0) || 1;
  // Room for what follows the last repetition.
  const room = characters - recipe.reduce((sum, { words }) => sum + words.length, 0);
  return recipe
    .map(({ words, share }) => words.repeat(Math.max(1, Math.floor((room * share) / whole / words.length))))
    .join('')
    .slice(0, characters);
}
