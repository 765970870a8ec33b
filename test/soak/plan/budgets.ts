import type { Budgets } from '../records.ts';

/** What the provider says of a turn, on average: half of the cached tokens and of the output that a plan draws from. */
const tokensOfTurn = 22_000;

/** How many times what most people ask. Those who ask in twenty tabs at once come to the end of it. */
const share = { user: 4, organization: 7 };

/** Budgets that are enough for nearly everybody; demo chat's is counted and never used up. */
export function planBudgets({ turns, users }: { turns: number; users: number }): Budgets {
  const turnsOfOne = Math.max(1, turns / users);
  return {
    user: Math.round(share.user * turnsOfOne * tokensOfTurn),
    organization: Math.round(share.organization * turnsOfOne * tokensOfTurn),
    demo: 1_000_000_000,
  };
}
