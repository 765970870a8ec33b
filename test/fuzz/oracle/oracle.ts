import { answered } from './answered.ts';
import type { Evidence, Rule } from './evidence.ts';
import { failures } from './failures.ts';
import { nothingUncaught, othersUnharmed } from './process.ts';
import { redirects } from './redirects.ts';
import { refusals } from './refusals.ts';
import { requestIds } from './request-ids.ts';
import { secretsInAnswers, secretsInLogs } from './secrets.ts';

const rules: readonly Rule[] = [
  answered,
  requestIds,
  failures,
  refusals,
  redirects,
  secretsInAnswers,
  secretsInLogs,
  nothingUncaught,
  othersUnharmed,
];

/** Everything that is wrong with how a case went. */
export const complaints = (evidence: Evidence): string[] => rules.flatMap((rule) => rule(evidence));
