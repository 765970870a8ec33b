import type { Records, Violation } from '../records.ts';
import { answers } from './answers.ts';
import { budgets } from './budgets.ts';
import { gatherEvidence, type Rule } from './evidence.ts';
import { limits } from './limits.ts';
import { processes } from './process.ts';
import { providerRequests } from './provider-requests.ts';
import { scope } from './scope.ts';
import { shown } from './shown.ts';
import { storedQuestions } from './stored-questions.ts';
import { missingReplies, storedReplies } from './stored-replies.ts';
import { suspensions } from './suspensions.ts';
import { tokenCounts } from './token-counts.ts';

const rules: readonly Rule[] = [
  answers,
  shown,
  storedQuestions,
  missingReplies,
  storedReplies,
  scope,
  limits,
  budgets,
  tokenCounts,
  suspensions,
  providerRequests,
  processes,
];

/** Reconciles what every client saw, what the provider sent and what the database holds: every rule that was broken. */
export function audit(records: Records): Violation[] {
  const evidence = gatherEvidence(records);
  return rules.flatMap((rule) => rule(evidence));
}
