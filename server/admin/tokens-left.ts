import type { Administration } from '../database/administration.ts';

type TokensUsed = Awaited<ReturnType<Administration['tokensUsed']>>[number];
type TokensLeft = { tokensLeft?: number };

/** Adds to each row what is left of its budget for the day, where there is one. A row's uses are those with its key. */
export async function withTokensLeft<Row>(
  rows: readonly Row[],
  {
    budget,
    administration,
    keyOf,
    keyOfUse,
  }: {
    budget: number | undefined;
    administration: Administration;
    keyOf: (row: Row) => string;
    keyOfUse: (use: TokensUsed) => string;
  },
): Promise<(Row & TokensLeft)[]> {
  const nothing: TokensLeft = {};
  if (budget === undefined) return rows.map((row) => ({ ...row, ...nothing }));
  const used = new Map<string, number>();
  for (const use of await administration.tokensUsed()) {
    used.set(keyOfUse(use), (used.get(keyOfUse(use)) ?? 0) + use.tokens);
  }
  return rows.map((row) => ({ ...row, tokensLeft: Math.max(0, budget - (used.get(keyOf(row)) ?? 0)) }));
}

/** The column's heading, if there is one. */
export function tokensLeftHeading(budget: number | undefined): string[] {
  return budget === undefined ? [] : ['TOKENS LEFT'];
}

/** The column's cell in a row, if there is one. */
export function tokensLeftCell({ tokensLeft }: TokensLeft): string[] {
  return tokensLeft === undefined ? [] : [String(tokensLeft)];
}
