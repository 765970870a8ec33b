import type { Violation } from '../records.ts';
import type { Evidence, Rule } from './evidence.ts';
import { matchUses, type Use } from './token-uses.ts';

/** How long a question may wait for the database before it is stored, or an answer that was late. */
const lateMilliseconds = 15_000;

/** Each request to the provider is counted once, as it was reported, and nothing else is; no reservation is left. */
export const tokenCounts: Rule = (evidence) => {
  const { uses, uncounted } = matchUses(evidence);
  return [
    ...uncounted.map((reply): Violation => {
      const requestId = evidence.attemptOf(reply)?.requestId;
      const detail = `turn ${reply.turn}: what the provider reported is not counted`;
      return { rule: 'token counts', detail, ...(requestId !== undefined && { requestId }) };
    }),
    ...uses.flatMap((use) => {
      const detail = problemOf(use, evidence);
      return detail === null ? [] : [violation(use, detail)];
    }),
  ];
};

function violation({ row, attempt }: Use, detail: string): Violation {
  const when = new Date(row.usedAt).toISOString();
  const requestId = attempt?.requestId;
  return {
    rule: 'token counts',
    detail: `${row.tokens} tokens of ${row.userId} at ${when}: ${detail}`,
    ...(requestId !== undefined && { requestId }),
  };
}

function problemOf(use: Use, evidence: Evidence): string | null {
  const { row, reply, mostReserved } = use;
  if (!row.settled) return isExcused(use, evidence) ? null : 'they are still reserved';
  if (reply !== null) return null;
  if (!wasAsked(use, evidence)) return 'nobody asked for them';
  return row.tokens <= mostReserved ? null : 'no reply is that long';
}

/** Whether the person had sent something that was to be counted then, and that may have been left before it was asked. */
function wasAsked({ row }: Use, { records, question }: Evidence): boolean {
  return records.attempts.some(({ turn, sentAt, endedAt, status }) => {
    const asker = question(turn)?.asker;
    if (asker?.route !== 'live' || asker.userId !== row.userId || status === 401 || status === 429) return false;
    return sentAt - 100 <= row.usedAt && row.usedAt <= (endedAt ?? Infinity) + lateMilliseconds;
  });
}

/** The process that had to settle it was killed meanwhile, or never knew that the database had stored the question. */
function isExcused({ row, reply, attempt }: Use, { records, wasFailing }: Evidence): boolean {
  const until = attempt?.endedAt ?? row.usedAt;
  const isKilled = records.faults.some(
    ({ failing, from, mendedAt }) =>
      failing.includes('product killed') && row.usedAt <= mendedAt && from <= until + lateMilliseconds,
  );
  return isKilled || (reply === null && wasFailing('database', row.usedAt, row.usedAt + lateMilliseconds, 6_000));
}
