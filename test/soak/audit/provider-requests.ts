import type { Asker, ProviderReply, Violation } from '../records.ts';
import type { Evidence, Rule } from './evidence.ts';

/** How soon after its client the provider's request has to end. */
const leavingMilliseconds = 1_000;

const budgets = { live: 4096, demo: 2048 };

/** The provider is asked for somebody who waits, about nobody else, and let go as soon as nobody waits any more. */
export const providerRequests: Rule = (evidence) =>
  evidence.records.replies.flatMap((reply) => {
    const attempt = evidence.attemptOf(reply);
    const asker = evidence.question(reply.turn)?.asker;
    const violation = (detail: string): Violation => ({
      rule: 'provider requests',
      detail: `turn ${reply.turn}: ${detail}`,
      ...(attempt && { requestId: attempt.requestId }),
    });
    if (asker === undefined || attempt === undefined) return [violation('a request that nobody asked for')];
    return [...problemsOfContent(reply, asker, evidence), ...problemsOfEnd(reply, evidence)].map(violation);
  });

function problemsOfContent(reply: ProviderReply, asker: Asker, { question }: Evidence): string[] {
  const problems: string[] = [];
  const expected = asker.route === 'live' ? [asker.organizationMark, asker.personMark] : [];
  if (reply.marks.length !== expected.length || expected.some((mark) => !reply.marks.includes(mark))) {
    problems.push(
      `the prompt names ${reply.marks.join(', ') || 'nobody'} instead of ${expected.join(', ') || 'nobody'}`,
    );
  }
  if (reply.turnsNamed.some((turn) => !isSamePerson(question(turn)?.asker, asker))) {
    problems.push('the messages hold a turn of somebody else');
  }
  if (reply.maxTokens !== budgets[asker.route]) problems.push(`max_tokens is ${reply.maxTokens}`);
  return problems;
}

/** A visitor is nobody: they go on with nothing when they come from another address. */
function isSamePerson(one: Asker | undefined, other: Asker): boolean {
  if (one?.route === 'live') return other.route === 'live' && one.userId === other.userId;
  return one?.route === 'demo' && other.route === 'demo' && one.address === other.address;
}

function problemsOfEnd(reply: ProviderReply, { records, attemptOf }: Evidence): string[] {
  const attempt = attemptOf(reply);
  if (reply.endedAt === null) return ['it is still open'];
  if (attempt?.endedAt == null) return [];
  const stalls = records.longestStallMilliseconds + longestStall(records);
  const over = reply.endedAt - Math.max(attempt.endedAt, reply.arrivedAt);
  return over <= leavingMilliseconds + stalls
    ? []
    : [`it went on for ${Math.round(over)} ms after its client had left`];
}

function longestStall({ samples }: Evidence['records']): number {
  const all = [...samples.between, samples.idleAfter];
  return Math.max(...all.map(({ longestStallMilliseconds }) => longestStallMilliseconds));
}
