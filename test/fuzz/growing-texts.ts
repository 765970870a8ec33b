import { createRequire } from 'node:module';
import fc from 'fast-check';
import { emptyDocument, growDocument } from '../../client/markdown/parsing/growing-document.ts';
import {
  type Block,
  type Cell,
  type Inline,
  type ListItem,
  type Row,
  readBlocks,
} from '../../client/markdown/parsing/nodes.ts';
import { linesAsWritten } from '../client/markdown/lines-as-written.ts';

const commonMark = createRequire(import.meta.url)('commonmark-spec') as { tests: readonly { markdown: string }[] };

/** Texts of which CommonMark has no examples: GFM's extensions, formulas, and held-back text within emphasis. */
const extensions = [
  '| **a** | `b|c` |\n|-|:-:|\n| *d* | ~~e~~ |\n',
  'a | b\n--- | ---\n1 | 2 | 3\n',
  '- a | b\n  --- | ---\n  1 | 2\n',
  '> a | b\n> --- | ---\n> 1 | 2\n',
  '1. a\n2. | b | c |\n   |---|---|\n   | d | $P(e|f)$ |\n',
  '- [ ] **a**\n- [x] ~~b~~\n',
  '~~**a**~~ ~b~ ~~~c~~~\n',
  '> [!NOTE]\n> *a*\n',
  'a[^1] **b[^2]**\n',
  'https://a.example/b_c_d, **https://a.example**\n',
  'see **[the report](https://a.example/r)** and *![a](https://a.example/p)*\n',
  'so **\\(E = mc^2\\)** and *$x_1$* and **\\[a=b\\]**\n',
  '$$\na_1 = b_2\n$$\n',
  '```md\n```js\na\n```\n```\n',
  '**注意：**数値、_「重点」_内容\n',
  '**a**<br>**b**\n',
  '*see <https://a.example/_b> and <a_b@c.example>*, **https://a.example/_b**\n',
  '1. a\n  1. b\n    - c\n\n  d\n2. e\n',
  '10. a\n  ```\n  b\n    c\n  ```\n11. d\n',
  '- a\n- 5 b\n+ 3 c\n\n- 5 d\n- 3 e\n',
];

const examples = [...commonMark.tests.map(({ markdown }) => markdown.replaceAll('→', '\t')), ...extensions];

/** `isPlain` is true if no letter or digit of the text belongs to the syntax of Markdown, such as the URL of a link. */
type GrowingText = { text: string; lengths: readonly number[]; isPlain: boolean };

export const grownExamples: readonly GrowingText[] = [
  ...examples.map((text) => ({ text, lengths: [1], isPlain: false })),
  ...linesAsWritten.map(({ written }) => ({ text: written, lengths: [1], isPlain: true })),
];

const anyLengths = fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 8 });

/** Consecutive examples, split into pieces of repeating lengths. */
const anyExamples: fc.Arbitrary<GrowingText> = fc.record({
  text: fc
    .array(fc.tuple(fc.constantFrom(...examples), fc.constantFrom('\n', '\n- ', '\n> ', '\n1. ')), {
      minLength: 2,
      maxLength: 4,
    })
    .map((parts) => parts.flat().join('')),
  lengths: anyLengths,
  isPlain: fc.constant(false),
});

/** Lines of numbers, words and marks that Markdown could read as syntax. */
const plainPieces = [
  ...['\n', '\n', '\n\n', ' ', '  ', '\u00a0', '- ', '- ', '+ ', '+ ', '* ', '> ', '>', '>=', '# ', '---', '===', '|'],
  ...['1. ', '2. ', '05. ', '15. ', '3) ', '2019. ', '5', '3', '12', '45 %', '€', '€5', ',', '.', ':', '(', ')', '='],
  ...['*', '**', '_', '__', ' ~~', '`a`', 'a', 'be', 'März', 'EUR ', '数', '| a | b |\n|--|--|\n', '[1] ', '\\'],
];

const anyPlainText: fc.Arbitrary<GrowingText> = fc.record({
  text: fc.array(fc.constantFrom(...plainPieces), { minLength: 2, maxLength: 24 }).map((parts) => parts.join('')),
  lengths: anyLengths,
  isPlain: fc.constant(true),
});

export const anyGrowingText = fc.oneof(anyExamples, anyPlainText);

/**
 * Returns a sentence if the text ends with other blocks than the whole text, if a plain text loses a letter or a digit, or if another
 * text shows marks while it grows that the finished text does not. Returns an empty list otherwise.
 */
export function growthViolations({ text, lengths, isPlain }: GrowingText): string[] {
  const whole = readBlocks(text);
  const [written, readable] = [lettersIn(text), lettersIn(allText(whole))];
  if (isPlain && written !== readable) return [`Of the letters and digits ${written} the page shows ${readable}.`];
  const finished = shownText(whole);
  let document = emptyDocument;
  let end = 0;
  for (let step = 0; end < text.length; step += 1) {
    end += lengths[step % lengths.length] ?? 1;
    document = growDocument(document, text.slice(0, end), true);
    // Which marks of a plain text belong together is a guess until they are complete.
    if (isPlain) continue;
    const shown = shownText(document.sections.flat());
    const mark = marks.find(
      (each) => count(each, shown) > count(each, finished) || longest(each, shown) > longest(each, finished),
    );
    if (mark !== undefined)
      return [`After ${JSON.stringify(text.slice(0, end))} the page shows ${mark}: ${JSON.stringify(shown)}`];
  }
  const grown = growDocument(document, text, false).sections.flat();
  return JSON.stringify(grown) === JSON.stringify(whole)
    ? []
    : ['The grown text has other blocks than the whole text.'];
}

function lettersIn(text: string): string {
  return text.match(/[\p{L}\p{N}]/gu)?.join('') ?? '';
}

/** Returns all text in `value`, including code, the source of formulas, and the numbers of items. */
function allText(value: unknown): string {
  if (value === null || typeof value !== 'object') return '';
  return Object.entries(value)
    .map(([key, part]) => (['text', 'source', 'number'].includes(key) ? String(part ?? '') : allText(part)))
    .join(' ');
}

const marks = ['*', '_', '~', '`'] as const;

function count(mark: string, text: string): number {
  return text.split(mark).length - 1;
}

function longest(mark: string, text: string): number {
  return Math.max(
    0,
    ...Array.from(text.matchAll(/([*_~`])\1*/g), ({ 0: run }) => (run.startsWith(mark) ? run.length : 0)),
  );
}

type Shown = Block | Inline | ListItem | Row | Cell;

/** Returns the text outside of code and formulas. A line end separates the nodes, so that no run of marks spans two of them. */
function shownText(nodes: readonly Shown[]): string {
  return nodes.map(shownTextOf).join('\n');
}

function shownTextOf(node: Shown): string {
  if ('type' in node) {
    if (node.type === 'text') return node.text;
    if (node.type === 'list') return shownText(node.items);
    if (node.type === 'table') return shownText([...node.head, ...node.rows]);
  }
  if ('blocks' in node) return shownText(node.blocks);
  if ('cells' in node) return shownText(node.cells);
  return 'children' in node ? shownText(node.children) : '';
}
