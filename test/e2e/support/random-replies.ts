import fc from 'fast-check';

const words = [
  'plant',
  'lead time',
  '**waiting**',
  '*cost*',
  '`queue`',
  'hypothesis',
  'a [report](https://example.com/r)',
];
const tongues = [
  'Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichen und mehr davon',
  '現状では、鋳造工程の待ち時間がリードタイムの大半を占めています。来週までに確認します。',
  'يعتمد زمن الانتظار على عدد القوالب المتاحة في المصنع كل أسبوع.',
];

const sentence = fc
  .tuple(fc.array(fc.constantFrom(...words), { minLength: 3, maxLength: 18 }), fc.nat({ max: 9999 }))
  .map(([parts, number]) => `Step ${number}: ${parts.join(' ')}.`);

const paragraph = fc
  .array(fc.oneof(sentence, fc.constantFrom(...tongues)), { minLength: 1, maxLength: 5 })
  .map(joined(' '));

const heading = fc
  .tuple(fc.integer({ min: 1, max: 4 }), sentence)
  .map(([level, text]) => `${'#'.repeat(level)} ${text}`);

const bullet = fc.constantFrom('- ', '- [x] ', '- [ ] ', '  - ', '    - ');

const list = fc
  .array(fc.tuple(bullet, sentence), { minLength: 2, maxLength: 14 })
  .map((items) => `- First\n${items.map(([mark, text]) => mark + text).join('\n')}`);

const numbered = fc
  .tuple(fc.constantFrom(1, 8, 97, 996), fc.array(sentence, { minLength: 3, maxLength: 8 }))
  .map(([first, items]) => items.map((text, index) => `${first + index}. ${text}`).join('\n'));

const row = fc.tuple(sentence, fc.constantFrom('x', 'Zeitüberschreitungswahrscheinlichkeit'), fc.nat({ max: 99999 }));

const table = fc
  .array(row, { minLength: 2, maxLength: 16 })
  .map(
    (rows) =>
      `| Step | Why | Cost |\n| :--- | --- | ---: |\n${rows.map((cells) => `| ${cells.join(' | ')} |`).join('\n')}`,
  );

const code = fc
  .array(fc.nat({ max: 999 }), { minLength: 2, maxLength: 20 })
  .map(
    (numbers) =>
      `\`\`\`ts\n${numbers.map((number) => `const week${number} = ${number}; // waiting`).join('\n')}\n\`\`\``,
  );

const quote = fc.array(sentence, { minLength: 1, maxLength: 4 }).map((lines) => `> ${lines.join('\n> ')}`);

const formula = fc
  .tuple(fc.nat({ max: 99 }), fc.boolean())
  .map(([number, isBlock]) => (isBlock ? `$$\n\\frac{${number}}{x^2}\n$$` : `Waiting is \\(x^{${number}}\\) hours.`));

const footnote = fc
  .tuple(fc.nat({ max: 9999 }), sentence)
  .map(([label, text]) => `Said before[^${label}].\n\n[^${label}]: ${text}`);

const block = fc.oneof(
  { arbitrary: paragraph, weight: 3 },
  heading,
  list,
  numbered,
  table,
  code,
  quote,
  formula,
  footnote,
  fc.constant('---'),
);

/** A reply with blocks of all kinds, as the pieces in which it comes, and where in the page the reader goes after some of them. */
export type PlayedReply = { pieces: string[]; places: (number | null)[] };

const reply = fc
  .tuple(
    fc.array(block, { minLength: 8, maxLength: 24 }).map(joined('\n\n')),
    fc.array(fc.double({ min: 0.02, max: 1, noNaN: true }), { minLength: 5, maxLength: 10 }),
    fc.array(fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { freq: 1 }), { minLength: 10, maxLength: 10 }),
  )
  .map(([text, shares, places]): PlayedReply => ({ pieces: inPieces(text, shares), places }));

/** The same `count` replies for the same `seed`. */
export const randomReplies = (count: number, seed: number): PlayedReply[] => fc.sample(reply, { numRuns: count, seed });

function inPieces(text: string, shares: readonly number[]): string[] {
  const whole = shares.reduce((sum, share) => sum + share, 0);
  let reached = 0;
  return shares.map((share) => {
    const start = Math.round((reached / whole) * text.length);
    reached += share;
    return text.slice(start, Math.round((reached / whole) * text.length));
  });
}

function joined(separator: string) {
  return (parts: readonly string[]) => parts.join(separator);
}
