import { splitAppendedError } from '../../shared/errors.ts';
import { budgetNamed } from './audit/budgets.ts';
import { heapOfThirds, megabytes, turnsToJudge } from './audit/process.ts';
import type { Attempt, Records, Sample, Violation } from './records.ts';

const mostViolations = 40;
const mostLogLines = 5;

/** What a run came to, in lines for a person. */
export function report(records: Records, violations: readonly Violation[]): string[] {
  const { questions, attempts, replies, faults, samples, stored } = records;
  const routes = new Map(questions.map(({ turn, asker }) => [turn, asker.route]));
  const begin = Math.min(...attempts.map(({ sentAt }) => sentAt));
  const seconds = (at: number) => `${((at - begin) / 1000).toFixed(1).padStart(7)} s`;
  return [
    `${questions.length} turns, ${attempts.length} attempts, ${replies.length} requests to the provider, ` +
      `${stored.messages.length} messages in ${stored.conversations.length} conversations`,
    '',
    'How the attempts ended',
    ...counted(attempts.map((attempt) => `${routes.get(attempt.turn)} ${endOf(attempt)}`)),
    '',
    'What the provider did',
    ...counted(replies.map(({ fate }) => fate)),
    '',
    `${faults.length} faults, at the seconds since the first question`,
    ...faults.map(({ kind, from, mendedAt }) => `${seconds(from)} –${seconds(mendedAt)}  ${kind}`),
    ...records.awayFromRedis.map(
      ({ limiter, from }) => `${seconds(from)}              the ${limiter} limiter counts by itself`,
    ),
    '',
    `${records.suspensions.length} of ${stored.suspended.length} people were suspended as planned, at the seconds since the first question`,
    ...records.suspensions.map(({ from, doneAt }) => `${seconds(from)} –${seconds(doneAt)}`),
    `${stored.tokenUses.length} turns are counted, ${stored.tokenUses.filter(({ settled }) => !settled).length} of them still as reserved`,
    '',
    'The process, garbage collected, nobody asking',
    `  before   ${held(samples.idleBefore)}`,
    ...samples.between.map((sample) => `  at ${(100 * sample.progress).toFixed(0).padStart(3)} %  ${held(sample)}`),
    `  after    ${held(samples.idleAfter)}`,
    ...heapLine(records),
    `  longest stall of an event loop: ${stallOf(records).toFixed(0)} ms in the product, ` +
      `${records.longestStallMilliseconds.toFixed(0)} ms in the soak`,
    '',
    violations.length === 0 ? 'Everything is accounted for.' : `${violations.length} violations`,
    ...counted(violations.map(({ rule }) => rule)),
    ...violations.slice(0, mostViolations).flatMap((violation) => explained(violation, records.logLines)),
  ];
}

function endOf(attempt: Attempt): string {
  const { status, ending, body } = attempt;
  if (ending !== 'whole') return `${ending} ${status === null ? 'before an answer' : 'during the answer'}`;
  const budget = budgetNamed(attempt);
  if (budget !== undefined) return `429 RATE_LIMITED by the budget of the ${budget}`;
  if (status !== 200) return `${status} ${/^[A-Z_]+/.exec(body)?.[0]}`;
  return splitAppendedError(body).code === undefined ? '200' : '200 with an error line';
}

function counted(values: readonly string[]): string[] {
  const groups = [...Map.groupBy(values, (value) => value)].map(([value, { length }]) => ({ value, length }));
  return groups
    .toSorted((one, other) => other.length - one.length)
    .map(({ value, length }) => `${String(length).padStart(7)}  ${value}`);
}

function held({ life, heapUsedBytes, residentBytes, resources }: Sample): string {
  const types = Object.entries(resources).map(([type, count]) => `${count} ${type}`);
  return `process ${life}, heap ${megabytes(heapUsedBytes)}, resident ${megabytes(residentBytes)}, ${types.join(', ')}`;
}

function heapLine(records: Records): string[] {
  const thirds = heapOfThirds(records);
  if (thirds === null) return [];
  const judged = records.questions.length < turnsToJudge ? ' (too short a run to judge by)' : '';
  return [
    `  median heap: ${megabytes(thirds.second)} in the second third, ${megabytes(thirds.last)} in the last${judged}`,
  ];
}

function stallOf({ samples }: Records): number {
  return Math.max(...[...samples.between, samples.idleAfter].map((sample) => sample.longestStallMilliseconds));
}

function explained({ rule, detail, requestId }: Violation, logLines: readonly string[]): string[] {
  if (requestId === undefined) return [`- ${rule}: ${detail}`];
  const lines = logLines.filter((line) => line.includes(requestId)).slice(0, mostLogLines);
  return [`- ${rule}: ${detail} (${requestId})`, ...lines.map((line) => `    ${summary(line)}`)];
}

/** A line of the product's log, with what was at the bottom of its error. */
function summary(line: string): string {
  const { time, status, durationMs, msg, err } = JSON.parse(line);
  const messages: string[] = [];
  for (let error = err; error !== undefined; error = error.cause)
    messages.push(error.message ?? [error.type, error.code].filter(Boolean).join(' '));
  return [new Date(time).toISOString(), status, `${durationMs} ms`, msg, messages.join(' < ')].join(' · ');
}
