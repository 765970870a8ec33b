import type { Administration } from '../database/administration.ts';

type TokensUsed = Awaited<ReturnType<Administration['tokensUsed']>>;
type TokensLeft = { tokensLeft?: number };

/** Adds the rest of the day's budget to each row, if there is a budget. The uses of a row have its key. */
export async function* withTokensLeft<Row>(
  pages: AsyncIterable<readonly Row[]>,
  {
    budget,
    usedBy,
    keyOf,
    keyOfUse,
  }: {
    budget: number | undefined;
    usedBy: (rows: readonly Row[]) => Promise<TokensUsed>;
    keyOf: (row: Row) => string;
    keyOfUse: (use: TokensUsed[number]) => string;
  },
): AsyncGenerator<readonly (Row & TokensLeft)[]> {
  for await (const rows of pages) {
    const nothing: TokensLeft = {};
    if (budget === undefined) {
      yield rows.map((row) => ({ ...row, ...nothing }));
      continue;
    }
    const used = new Map<string, number>();
    for (const use of await usedBy(rows)) used.set(keyOfUse(use), (used.get(keyOfUse(use)) ?? 0) + use.tokens);
    yield rows.map((row) => ({ ...row, tokensLeft: Math.max(0, budget - (used.get(keyOf(row)) ?? 0)) }));
  }
}

/** The column's heading, if there is one. */
export function tokensLeftHeading(budget: number | undefined): string[] {
  return budget === undefined ? [] : ['TOKENS LEFT'];
}

/** The column's cell in a row, if there is one. */
export function tokensLeftCell({ tokensLeft }: TokensLeft): string[] {
  return tokensLeft === undefined ? [] : [String(tokensLeft)];
}
