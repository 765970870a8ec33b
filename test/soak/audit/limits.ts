import type { Asker, Attempt, Limit, Moment, Violation } from '../records.ts';
import { budgetNamed } from './budgets.ts';
import type { Evidence, Rule } from './evidence.ts';

/** A request that was let through: at some time between when it was sent and when the provider got it. */
type Accepted = { requestId: string; sentAt: Moment; arrivedAt: Moment };

/** How far the product's own clock may be from this one, where it says when it began to count by itself. */
const marginMilliseconds = 2_000;

/**
 * Nobody got more than the limit in any window, and nobody was refused who had not reached it. A counter that was lost, or
 * one of its own while Redis was away, lets another limit's worth through.
 */
export const limits: Rule = (evidence) => {
  const { records } = evidence;
  const attemptsOfKey = Map.groupBy(records.attempts, ({ turn }) => keyOf(evidence.question(turn)?.asker));
  return [...attemptsOfKey].flatMap(([key, attempts]) => {
    const route = key.startsWith('live') ? 'live' : 'demo';
    const limit = records.limits[route];
    return [...tooMany(attempts, limit, route, evidence), ...unjust(attempts, limit)];
  });
};

function keyOf(asker: Asker | undefined): string {
  if (asker === undefined) return '';
  return asker.route === 'live' ? `live ${asker.userId}` : `demo ${asker.address}`;
}

/** Only where more requests than the limit were let through for certain within one window. */
function tooMany(attempts: readonly Attempt[], limit: Limit, route: 'live' | 'demo', evidence: Evidence): Violation[] {
  const accepted = attempts.flatMap((attempt) => acceptedAs(attempt, evidence));
  const windowMilliseconds = limit.windowSeconds * 1000;
  for (const [index, first] of accepted.entries()) {
    const within = accepted
      .slice(index)
      .filter(({ arrivedAt }) => arrivedAt < first.sentAt + windowMilliseconds)
      .toSorted((one, other) => one.arrivedAt - other.arrivedAt);
    const last = within.at(-1);
    if (last === undefined) continue;
    const allowed = limit.requests * counters(route, first.sentAt, last.arrivedAt, evidence);
    if (within.length <= allowed) continue;
    const detail = `${route}: ${within.length} requests were let through within ${limit.windowSeconds} s, ${allowed} are allowed`;
    return [{ rule: 'limits', requestId: last.requestId, detail }];
  }
  return [];
}

function acceptedAs(attempt: Attempt, evidence: Evidence): Accepted[] {
  const { turn, requestId, sentAt } = attempt;
  return evidence
    .repliesOf(turn)
    .filter((reply) => evidence.attemptOf(reply) === attempt)
    .map(({ arrivedAt }) => ({ requestId, sentAt, arrivedAt }));
}

/** How many counters may have counted one key in this time. */
function counters(route: string, from: Moment, to: Moment, { records }: Evidence): number {
  const overlaps = (begin: Moment, end: Moment) => begin - marginMilliseconds <= to && from <= end + marginMilliseconds;
  const own = records.awayFromRedis.filter((away) => away.limiter === route && overlaps(away.from, away.to));
  const ownCounters = new Set(own.map(({ life }) => life)).size;
  const emptied = records.redisEmptiedAt.filter((at) => overlaps(at, at)).length;
  return 1 + ownCounters + emptied;
}

/** A turn that a budget refused had been counted as a request. */
function isOverLimit(attempt: Attempt): boolean {
  return attempt.status === 429 && budgetNamed(attempt) === undefined;
}

/** A refusal is unjust where fewer requests than the limit had been sent in the window before it. */
function unjust(attempts: readonly Attempt[], { requests, windowSeconds }: Limit): Violation[] {
  return attempts.filter(isOverLimit).flatMap((refused) => {
    const end = refused.endedAt ?? Number.MAX_VALUE;
    const sent = attempts.filter(
      (other) =>
        other !== refused &&
        !isOverLimit(other) &&
        other.sentAt <= end &&
        (other.endedAt ?? Number.MAX_VALUE) >= refused.sentAt - windowSeconds * 1000,
    ).length;
    const wait = refused.retryAfterSeconds ?? 0;
    const { requestId, turn } = refused;
    const rule = 'limits';
    if (sent < requests) {
      return [{ rule, requestId, detail: `turn ${turn}: refused after ${sent} of ${requests} requests` }];
    }
    if (wait < 1 || wait > windowSeconds) return [{ rule, requestId, detail: `turn ${turn}: Retry-After is ${wait}` }];
    return [];
  });
}
