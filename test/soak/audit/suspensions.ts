import type { Attempt, Suspension, Violation } from '../records.ts';
import type { Evidence, Rule } from './evidence.ts';

/** How soon a suspension ends a reply: the product looks once a second, and has to ask the database. */
const noticeMilliseconds = 1_000;
const slackMilliseconds = 1_500;

/** How long after the database works again it may not be known yet who has been suspended. */
const recoveryMilliseconds = 6_000;

/** Who is suspended is out: nothing new is answered, and what is under way is ended at once. */
export const suspensions: Rule = (evidence) => {
  const { records, question } = evidence;
  return [
    ...records.stored.suspended.flatMap(({ userId, isSuspended, sessions }): Violation[] => {
      if (!records.suspensions.some((one) => one.userId === userId)) return [];
      const detail = `${userId} is ${isSuspended ? 'suspended' : 'not suspended'} and has ${sessions} sessions`;
      return isSuspended && sessions === 0 ? [] : [{ rule: 'suspensions', detail }];
    }),
    ...records.suspensions.flatMap((suspension) =>
      records.attempts
        .filter(({ turn }) => isOf(question(turn)?.asker, suspension))
        .flatMap((attempt) =>
          problemsOf(attempt, suspension, evidence).map(
            (detail): Violation => ({
              rule: 'suspensions',
              requestId: attempt.requestId,
              detail: `turn ${attempt.turn}, status ${attempt.status}, ${attempt.ending}: ${detail}`,
            }),
          ),
        ),
    ),
  ];
};

/** Whether this attempt's person may have been suspended by the time that it ended. */
export function mayBeSuspended({ turn, endedAt }: Attempt, { records, question }: Evidence): boolean {
  return records.suspensions.some(
    (suspension) => isOf(question(turn)?.asker, suspension) && suspension.from <= (endedAt ?? Infinity),
  );
}

function isOf(asker: { route: string; userId?: string } | undefined, { userId }: Suspension): boolean {
  return asker?.userId === userId;
}

function problemsOf(attempt: Attempt, { doneAt }: Suspension, evidence: Evidence): string[] {
  const { sentAt, endedAt, status } = attempt;
  const problems: string[] = [];
  if (sentAt > doneAt) {
    // What failed for another reason is the answers' to explain.
    if (status === 200 || status === 429) problems.push('it was taken from somebody who is suspended');
    if (asksProvider(attempt, evidence)) problems.push('the provider was asked for somebody who is suspended');
    return problems;
  }
  const over = (endedAt ?? Infinity) - doneAt;
  const allowed = noticeMilliseconds + slackMilliseconds + stalls(evidence);
  if (over > allowed && !evidence.wasFailing('database', doneAt, endedAt ?? Infinity, recoveryMilliseconds)) {
    problems.push(`it went on for ${Math.round(over)} ms after its person was suspended`);
  }
  return problems;
}

function asksProvider(attempt: Attempt, { repliesOf, attemptOf }: Evidence): boolean {
  return repliesOf(attempt.turn).some((reply) => attemptOf(reply) === attempt);
}

function stalls({ records: { longestStallMilliseconds, samples } }: Evidence): number {
  const own = [...samples.between, samples.idleAfter].map((sample) => sample.longestStallMilliseconds);
  return longestStallMilliseconds + Math.max(...own);
}
