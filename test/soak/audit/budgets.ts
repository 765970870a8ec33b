import { type BudgetOwner, budgetSentences } from '../../../shared/errors.ts';
import type { Attempt, Budgets, Violation } from '../records.ts';
import type { Evidence, Rule } from './evidence.ts';
import { matchUses, maxTokens, type Use } from './token-uses.ts';

const daySeconds = 24 * 60 * 60;

/** Whose budget a refusal names, or undefined where it names none. */
export function budgetNamed({ status, body }: Attempt): BudgetOwner | undefined {
  if (status !== 429) return undefined;
  const owners = Object.keys(budgetSentences) as BudgetOwner[];
  return owners.find((owner) => body.includes(budgetSentences[owner]));
}

/** No turn began when a budget was used up, nobody was refused who had something left, and a refusal cost nothing. */
export const budgets: Rule = (evidence) => {
  const { uses } = matchUses(evidence);
  const refused = evidence.records.attempts.filter((attempt) => budgetNamed(attempt) !== undefined);
  return [
    ...overdrawn(uses, 'user', evidence.records.budgets),
    ...overdrawn(uses, 'organization', evidence.records.budgets),
    ...refused.flatMap((attempt) =>
      problemsOfRefusal(attempt, uses, evidence).map(
        (detail): Violation => ({
          rule: 'budgets',
          requestId: attempt.requestId,
          detail: `turn ${attempt.turn}: ${detail}`,
        }),
      ),
    ),
  ];
};

type Owner = 'user' | 'organization';

function ownerOf({ row }: Use, whose: Owner): string {
  return whose === 'user' ? `${row.userId} ${row.orgId}` : row.orgId;
}

/** Turns that were let through although what was certainly counted by then had reached the budget. */
function overdrawn(uses: readonly Use[], whose: Owner, { [whose]: budget }: Budgets): Violation[] {
  return [...Map.groupBy(uses, (use) => ownerOf(use, whose)).values()].flatMap((own) =>
    own.flatMap((use, index): Violation[] => {
      const { usedAt, userId } = use.row;
      const counted = sum(own.slice(0, index).map((earlier) => leastCounted(earlier, usedAt)));
      if (counted < budget) return [];
      const requestId = use.attempt?.requestId;
      const detail = `${userId}: a turn began when ${counted} of the ${whose}’s ${budget} tokens were used`;
      return [{ rule: 'budgets', detail, ...(requestId !== undefined && { requestId }) }];
    }),
  );
}

/** A turn under way counts what it may ask for at least. */
function leastCounted({ row: { tokens, settled }, overAt }: Use, at: number): number {
  const isFinal = !settled || (overAt !== null && overAt < at);
  return isFinal ? tokens : Math.min(tokens, maxTokens);
}

function problemsOfRefusal(attempt: Attempt, uses: readonly Use[], evidence: Evidence): string[] {
  const { records, question, repliesOf, attemptOf } = evidence;
  const whose = budgetNamed(attempt);
  const asker = question(attempt.turn)?.asker;
  const problems: string[] = [];
  if (repliesOf(attempt.turn).some((reply) => attemptOf(reply) === attempt)) {
    problems.push('the provider was asked for a turn that a budget refused');
  }
  const wait = attempt.retryAfterSeconds ?? 0;
  if (wait < 1 || wait > daySeconds) problems.push(`a budget’s Retry-After is ${wait}`);
  if (asker?.route !== 'live' || whose === undefined || whose === 'demo') {
    return [...problems, `a budget that nobody could use up refused: ${whose}`];
  }
  const own = uses.filter(({ row }) => row.orgId === asker.orgId && (whose !== 'user' || row.userId === asker.userId));
  const most = sum(own.map((use) => mostCounted(use, attempt)));
  if (most < records.budgets[whose]) {
    problems.push(`refused when ${most} of the ${whose}’s ${records.budgets[whose]} tokens were used at the most`);
  }
  return problems;
}

function mostCounted({ row: { usedAt, tokens }, overAt, mostReserved }: Use, { sentAt, endedAt }: Attempt): number {
  if (usedAt > (endedAt ?? Infinity) + 100) return 0;
  return overAt !== null && overAt < sentAt ? tokens : Math.max(tokens, mostReserved);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
